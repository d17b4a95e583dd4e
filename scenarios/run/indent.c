/* indent: manifests whose indentation was lost, nested again. */
#include "scenarios/run/indent.h"

#include <stdio.h>
#include <string.h>

/* What may stand below a key that stands empty (or, of a list, in its last item). */
static const struct place {
    const char *key;
    const char *children; /* between blanks; "*": whatever stands in no row */
} places[] = {
    {"metadata", " name namespace generateName labels annotations "},
    {"labels", "*"},
    {"annotations", "*"},
    {"spec", " restartPolicy nodeName nodeSelector tolerations containers initContainers volumes "
             "replicas selector template terminationGracePeriodSeconds serviceAccountName "
             "backoffLimit completions parallelism "},
    {"nodeSelector", "*"},
    {"selector", " matchLabels "},
    {"matchLabels", "*"},
    {"containers", " image name command args resources ports env volumeMounts imagePullPolicy "
                   "livenessProbe readinessProbe workingDir "},
    {"resources", " limits requests "},
    {"limits", "*"},
    {"requests", "*"},
};
#define PLACES (sizeof places / sizeof places[0])
static const char top[] = " apiVersion kind metadata spec status data ";

static bool listed(const char *list, const char *key)
{
    char word[96];
    snprintf(word, sizeof word, " %.90s ", key);
    return strstr(list, word) != NULL;
}

static bool is_known(const char *key)
{
    for (size_t i = 0; i < PLACES; i++)
        if (listed(places[i].children, key))
            return true;
    return listed(top, key);
}

static bool takes(const struct place *p, const char *key)
{
    return p->children[0] == '*' ? !is_known(key) : listed(p->children, key);
}

/* A key that is open for those that follow. */
struct open {
    const struct place *place;
    struct json *into;
};

static const struct place *place_of(const struct json *c)
{
    for (size_t i = 0; i < PLACES; i++)
        if (strcmp(places[i].key, c->key) == 0)
            return &places[i];
    return NULL;
}

/* What the children of c would be put into; NULL when c is complete. */
static struct json *opened(struct json *c)
{
    if (c->type == JSON_NULL)
        return c;
    bool items = c->type == JSON_ARRAY && c->last && c->last->type == JSON_OBJECT;
    return items && strcmp(c->key, "containers") == 0 ? c->last : NULL;
}

static void say(char *words, size_t size, const char *parent, const char *key)
{
    size_t used = strlen(words);
    snprintf(words + used, size - used, "%s%.40s.%.60s", used ? ", " : "", parent, key);
}

/* Puts c below the innermost open key that takes it, else back at the top. */
static bool put(struct json *root, struct json *c, const struct open *stack, size_t *depth)
{
    size_t n = *depth;
    while (n > 0 && (!takes(stack[n - 1].place, c->key) || json_get(stack[n - 1].into, c->key)))
        n--;
    *depth = n;
    struct json *into = n ? stack[n - 1].into : root;
    if (into->type == JSON_NULL)
        into->type = JSON_OBJECT;
    json_append(into, c);
    return n > 0;
}

bool indent_repair(struct json *root, char *words, size_t size)
{
    struct open stack[PLACES];
    size_t depth = 0;
    bool moved = false;
    words[0] = '\0';
    const struct json *spec = json_get(root, "spec"), *metadata = json_get(root, "metadata");
    bool empty = (spec && spec->type == JSON_NULL) || (metadata && metadata->type == JSON_NULL);
    if (root->type != JSON_OBJECT || !json_get(root, "kind") || !empty)
        return false;
    struct json *c = root->first;
    root->first = root->last = NULL;
    root->count = 0;
    for (struct json *next; c; c = next) {
        next = c->next;
        c->next = NULL;
        bool below = put(root, c, stack, &depth);
        if (below)
            say(words, size, stack[depth - 1].place->key, c->key);
        moved = moved || below;
        if (place_of(c) && opened(c) && depth < PLACES)
            stack[depth++] = (struct open){place_of(c), opened(c)};
    }
    return moved;
}
