/* scenario_share: a share of a GPU, which no pod of the simulation can have. */
#include "models/capacity/catalog.h"
#include "models/capacity/eci.h"
#include "models/capacity/virtual_node.h"
#include "scenarios/run/catalog_files.h"
#include "scenarios/run/folder.h"
#include "scenarios/run/scenario_inside.h"
#include "sim/arena.h"
#include "sim/json.h"
#include "sim/text.h"

#include <stdio.h>
#include <string.h>

/* A share of a GPU; NULL: pod.gpus is whole, or wrong in a way that the binder tells. */
static const struct json *share_of(const struct json *owner)
{
    const struct json *gpus = json_at(owner, "pod.gpus");
    int64_t milli;
    if (!gpus || (gpus->type != JSON_NUMBER && gpus->type != JSON_STRING) || !gpus->string)
        return NULL;
    return text_parse_quantity(gpus->string, &milli) && milli > 0 && milli % 1000 ? gpus : NULL;
}

static const char *text_of(const struct json *node)
{
    return node && node->type == JSON_STRING ? node->string : NULL;
}

/* Refused by name, with what a whole GPU costs, as far as the shipped catalogue knows. */
static int refuse_share(struct scenario_loading *l, const struct json *owner,
                        const struct json *gpus, struct err *e)
{
    char asked[96], place[600];
    const struct json *annotations = json_at(owner, "pod.annotations");
    const char *gpu = text_of(json_get(annotations, "k8s.aliyun.com/eci-gpu-type"));
    const char *currency = text_of(json_get(l->root, "currency"));
    char *folder = folder_join(l->arena, l->source->data_dir, "catalog", e);
    struct catalog_source source = {folder, NULL, 0, &l->files};
    struct eci_market m = {NULL, currency ? currency : "CNY", NULL};
    m.catalog = folder ? catalog_files_load(l->arena, &source, e) : NULL;
    if (!m.catalog)
        return -1;
    snprintf(asked, sizeof asked, "nvidia.com/gpu: %.60s", gpus->string);
    eci_share_refused(&m, gpu, asked, e);
    return err_set(e, ERR_INPUT, json_place(place, sizeof place, gpus), "pod.gpus: %s",
                   arena_text(l->arena, e->msg, strlen(e->msg), &(struct err){0}));
}

int scenario_share_check(struct scenario_loading *l, struct err *e)
{
    static const char *const lists[] = {"services", "jobs"};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        const struct json *list = json_get(l->root, lists[i]);
        for (const struct json *c = list ? list->first : NULL; c; c = c->next) {
            const struct json *gpus = c->type == JSON_OBJECT ? share_of(c) : NULL;
            if (gpus)
                return refuse_share(l, c, gpus, e);
        }
    }
    return 0;
}
