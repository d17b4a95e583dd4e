/* network_source: plans and weights by name. */
#include "kernels/network_source.h"

#include "kernels/bert.h"
#include "kernels/checkpoint.h"
#include "kernels/safetensors.h"
#include "kernels/weight_random.h"
#include "sim/text.h"

#include <string.h>

const char *const network_source_names[] = {"inception_v3", "bert_base", "bert_tiny", NULL};

/* Two layers of 128, after Turc et al. 2019 (arXiv:1908.08962): a network that takes a
 * millisecond, for trying things out. */
static struct bert_config bert_tiny(void)
{
    struct bert_config c = bert_base;
    c.model = "bert_tiny";
    c.layers = c.heads = 2;
    c.hidden = 128;
    c.inner = 512;
    return c;
}

static struct network *unknown(const char *name, struct err *e)
{
    const char *near = text_nearest(name, network_source_names, 3);
    err_set(e, ERR_INPUT, NULL,
            "model '%.*s' is unknown%s%s%s; allowed is: inception_v3, bert_base, bert_tiny",
            text_cut(name, 80), name, near ? "; did you mean '" : "", near ? near : "",
            near ? "'?" : "");
    return NULL;
}

static struct network *plan_image(struct arena *a, const struct network_choice *c,
                                  struct network_source *s, struct err *e)
{
    s->image = inception_usual;
    s->image.batch = c->batch;
    s->image.variant = c->variant;
    if (c->variant == INCEPTION_2015)
        s->image.classes = 1008;
    if (s->file)
        checkpoint_inception(s->file, &s->image);
    return inception_plan(a, &s->image, e);
}

static struct network *plan_text(struct arena *a, const struct network_choice *c,
                                 const struct network_source *s, struct err *e)
{
    struct bert_config text = strcmp(c->name, "bert_tiny") == 0 ? bert_tiny() : bert_base;
    text.batch = c->batch;
    text.sequence = c->sequence ? c->sequence : text.sequence;
    if (s->file)
        checkpoint_bert(s->file, &text);
    if (s->file && c->vocabulary && c->vocabulary != text.vocabulary) {
        err_set(e, ERR_INPUT, c->weights, "has a vocabulary of %d, not of %d", text.vocabulary,
                c->vocabulary);
        return NULL;
    }
    text.vocabulary = c->vocabulary ? c->vocabulary : text.vocabulary;
    return bert_plan(a, &text, e);
}

static struct network *plan_of(struct arena *a, const struct network_choice *c,
                               struct network_source *s, struct err *e)
{
    if (strcmp(c->name, "inception_v3") == 0)
        return plan_image(a, c, s, e);
    if (strcmp(c->name, "bert_base") == 0 || strcmp(c->name, "bert_tiny") == 0)
        return plan_text(a, c, s, e);
    return unknown(c->name, e);
}

int network_source_open(struct arena *a, const struct network_choice *c, struct network_source *out,
                        struct err *e)
{
    *out = (struct network_source){.seed = c->seed};
    out->weights = weight_random(&out->seed);
    if (c->weights) {
        out->file = safetensors_open(a, c->weights, e);
        if (!out->file)
            return -1;
        out->weights = safetensors_source(out->file);
    }
    out->plan = plan_of(a, c, out, e);
    if (out->plan && (!out->file || checkpoint_check(out->file, out->plan, e) == 0))
        return 0;
    network_source_close(out);
    return -1;
}

void network_source_close(struct network_source *s)
{
    safetensors_close(s->file);
    s->file = NULL;
}

struct network *network_source_plan(struct arena *a, const struct network_choice *c, struct err *e)
{
    struct network_source s = {.seed = c->seed};
    struct network_choice seeded = *c;
    seeded.weights = NULL;
    return plan_of(a, &seeded, &s, e);
}
