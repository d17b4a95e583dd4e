#!/bin/sh
# mutants: plants typical mistakes in the controllers, one at a time, and demands that a test fails.
#
#   tests/mutants.sh [FIRST [LAST]]
#
# Works on a copy of the tree under .build/mutants. A mistake that no test catches, a mistake whose
# pattern no longer occurs, or one that does not compile ends the script with 1.
set -eu
cd "$(dirname "$0")/.."
root=$PWD
work=$root/.build/mutants
first=${1:-1}
last=${2:-999}

# file | what is planted | sed expression | suites that must catch it
list=$(cat <<'EOF'
models/control/hpa_replicas.c|strict lower end of the band|s/1.0 - t->down <= ratio && ratio/1.0 - t->down < ratio \&\& ratio/|hpa*
models/control/hpa_replicas.c|strict upper end of the band|s/ratio <= 1.0 + t->up/ratio < 1.0 + t->up/|hpa*
models/control/hpa_replicas.c|band around the other end|s/1.0 - t->down <= ratio/1.0 - t->up <= ratio/|hpa*
models/control/hpa_replicas.c|distance strictly below|s/fabs(1.0 - ratio) <= t->up/fabs(1.0 - ratio) < t->up/|hpa*
models/control/hpa_replicas.c|floor for ceil|s/double up = ceil(replicas)/double up = floor(replicas)/|hpa*
models/control/hpa_replicas.c|float for double in the average|s/(double)usage \/ ((double)target \* (double)status)/(double)((float)usage \/ ((float)target * (float)status))/|hpa*
models/control/hpa_replicas.c|average kept at the ratio, not the size|s/round_up((double)usage \/ (double)target)/round_up(ratio * (double)status)/|hpa*
models/control/hpa_replicas.c|no saturation of counts|s/if (up >= 2147483647.0)/if (up >= 1e300)/|hpa*
models/control/hpa_replicas.c|tolerance at zero replicas|s/if (pods->current == 0) {/if (pods->current == -1) {/|hpa*
models/control/hpa_replicas.c|all pods instead of ready ones|s/p.replicas = round_up(ratio \* (double)pods->ready)/p.replicas = round_up(ratio * (double)pods->current)/|hpa*
models/control/hpa_replicas.c|pending before deleting|s/if (pod->deleting || pod->phase == SCALER_POD_FAILED/if ((pod->deleting \&\& pod->phase != SCALER_POD_PENDING) || pod->phase == SCALER_POD_FAILED/|hpa*
models/control/hpa_replicas.c|succeeded pods count|s/ || pod->phase == SCALER_POD_SUCCEEDED)/)/|hpa*
models/control/hpa_replicas.c|initialization edge|s/pod->started_at + r->cpu_initialization > now/pod->started_at + r->cpu_initialization >= now/|hpa*
models/control/hpa_replicas.c|sample window edge|s/sample->at < pod->ready_changed_at + sample->window/sample->at <= pod->ready_changed_at + sample->window/|hpa*
models/control/hpa_replicas.c|readiness delay edge|s/pod->started_at + r->initial_delay > pod->ready_changed_at/pod->started_at + r->initial_delay >= pod->ready_changed_at/|hpa*
models/control/hpa_replicas.c|memory is doubted as well|s/if (readiness->cpu && cpu_is/if (cpu_is/|hpa*
models/control/hpa_replicas.c|missing pods at 100 % whatever the target|s/target_pct > 100 ? target_pct : 100/100/|hpa*
models/control/hpa_replicas.c|missing pods filled when growing|s/    if (p->ratio < 1.0) {/    if (p->ratio < 2.0) {/|hpa*
models/control/hpa_replicas.c|not-ready pods count when shrinking|s/!(t.not_ready > 0 && p.ratio > 1.0)/!(t.not_ready > 0)/|hpa*
models/control/hpa_replicas.c|guard against turning left out|s/(first < 1.0 && filled > 1.0) ||/(first < 0.0 \&\& filled > 1.0) ||/|hpa*
models/control/hpa_replicas.c|guard of a rollout left out|s/(filled > 1.0 && n < current)/(filled > 1.0 \&\& n < 0)/|hpa*
models/control/hpa_replicas.c|usage shown rounded down|s/return (int64_t)ceil((double)usage/return (int64_t)floor((double)usage/|hpa*
models/control/hpa_limits.c|legacy window edge|s/now - h->items\[i\].at > window/now - h->items[i].at >= window/|hpa*,decide
models/control/hpa_limits.c|behavior window edge|s/if (age < w.down)/if (age <= w.down)/|hpa*
models/control/hpa_limits.c|up window edge|s/if (age < w.up)/if (age <= w.up)/|hpa*
models/control/hpa_limits.c|either window frees a slot|s/age > w.up && age > w.down/age > w.up || age > w.down/|hpa*
models/control/hpa_limits.c|first expired slot instead of the last|s/^            slot = i;$/            slot = slot == SIZE_MAX ? i : slot;/|hpa*
models/control/hpa_limits.c|stabilisation starts from the wish|s/least(most(current, low), high)/least(most(desired, low), high)/|hpa*
models/control/hpa_limits.c|event period edge|s/now - e->items\[i\].at < period/now - e->items[i].at <= period/|hpa*
models/control/hpa_limits.c|outdated edge|s/now - e->items\[i\].at > keep/now - e->items[i].at >= keep/|hpa*
models/control/hpa_limits.c|removed pods are not given back|s/hpa_limits_changed(pace->downs, p->period/0 * hpa_limits_changed(pace->downs, p->period/|hpa*
models/control/hpa_limits.c|percent up rounded down|s/saturate(ceil(start \* (1 + /saturate(floor(start * (1 + /|hpa*
models/control/hpa_limits.c|percent by multiplication|s/(1 + (double)p->value \/ 100)/(double)(float)(1 + (float)p->value \/ 100)/|hpa*
models/control/hpa_limits.c|max before min|s/if (r->desired < r->min) {/if (r->desired < r->min \&\& r->desired > cap) {/|hpa*
models/control/hpa_limits.c|legacy floor of 4 left out|s/pace > floor ? pace : floor/pace/|hpa*,scaler_hpa
models/control/hpa_limits.c|limit may turn around|s/int32_t limit = most(r->current, hpa/int32_t limit = most(0, hpa/|hpa*
models/control/hpa_limits.c|Disabled is ignored|s/if (rules->select == HPA_SELECT_DISABLED)/if (rules->n_policies == 99)/|hpa*
models/control/hpa_limits.c|Min and Max exchanged|s/bool smallest = rules->select == HPA_SELECT_MIN/bool smallest = rules->select == HPA_SELECT_MAX/|hpa*
models/control/hpa.c|spec size for averages|s/m->target, view->status_replicas, &spec/m->target, view->spec_replicas, \&spec/|hpa*
models/control/hpa.c|status size for values|s/{.current = view->spec_replicas, .ready/{.current = view->status_replicas, .ready/|hpa*
models/control/hpa.c|gates after the metrics|s/if (!gates(spec, state, current, out))/if (by_metrics(spec, state, view, out), !gates(spec, state, current, out))/|hpa*,decide
models/control/hpa.c|the first size is not remembered|s/if (!state->started)/if (false)/|hpa*
models/control/hpa.c|missing is zero|s/if (!v->present || m->kind == HPA_FAILING)/if (m->kind == HPA_FAILING)/|hpa*,scaler_*
models/control/hpa.c|the first metric wins|s/if (best != 0 && p.replicas <= best)/if (best != 0)/|hpa*
models/control/hpa.c|the smallest metric wins|s/if (best != 0 && p.replicas <= best)/if (best != 0 \&\& p.replicas >= best)/|hpa*
models/control/hpa.c|failing metrics never stop shrinking|s/!(failures > 0 && best < view->spec_replicas)/true/|hpa*
models/control/hpa.c|failing metrics stop standing still|s/failures > 0 && best < view/failures > 0 \&\& best <= view/|hpa*
models/control/hpa.c|the bounded size is remembered|s/o->recommended = best > 0 ? best : 0/o->recommended = best > spec->max ? spec->max : best > 0 ? best : 0/|hpa*,decide,scaler_hpa
models/control/hpa.c|zero always disables|s/return spec->min != 0;/return true;/|hpa*
models/control/hpa.c|the mark needs no external metric|s/(spec->min != 0 || has_external(spec))/true/|hpa*
models/control/hpa.c|no lift to a raised min|s/if (current == 0 && o->replicas < spec->min)/if (false)/|hpa*
models/control/hpa_config.c|default window up|s/rules->window = c->window.span;/rules->window = c->window.span + SIM_SECOND;/|scaler_hpa,decide*,hpa*
models/control/hpa_config.c|versions shifted by one|s/{.since = 33,/{.since = 34,/|scaler_hpa
models/control/hpa_config.c|an empty behavior is none|s/out->has_behavior = true;/out->has_behavior = b->up || b->down;/|scaler_hpa
models/control/metric_sls.c|rounding for truncation|s/ended \* 1000 \//(ended * 1000 + 7500) \//|metric_sls
models/control/metric_sls.c|delay forgotten|s/\*to = at - c->delay;/*to = at;/|metric_sls
models/control/metric_sls.c|late faults go back|s/return now - f->lag > f->at ? now - f->lag : f->at;/return now - f->lag;/|metric_sls
models/control/kpa.c|panic threshold edge|s/>= spec->panic_threshold/> spec->panic_threshold/|kpa
models/control/kpa.c|panic end edge|s/s->panic_since + spec->stable_window < now/s->panic_since + spec->stable_window <= now/|kpa
models/control/kpa.c|panic shrinks|s/s->max_panic_pods = most > s->max_panic_pods ? most : s->max_panic_pods;/s->max_panic_pods = most;/|kpa
models/control/kpa.c|window one slot too long|s/>= (int64_t)w->size/> (int64_t)w->size/|kpa
models/control/keda.c|cool-down edge|s/l->last_active_age > o->cooldown/l->last_active_age >= o->cooldown/|keda
models/control/keda.c|fallback at the threshold|s/return failures > threshold;/return failures >= threshold;/|keda
models/control/keda.c|accurate ignores pending jobs|s/j->max_scale + j->running - j->pending/j->max_scale + j->running/|keda
models/control/replicaset.c|larger deletion cost first|s/a->deletion_cost < b->deletion_cost ? -1 : 1/a->deletion_cost < b->deletion_cost ? 1 : -1/|replicaset
models/control/replicaset.c|doubled pods stay|s/sign(b->doubled - a->doubled)/sign(a->doubled - b->doubled)/|replicaset
models/control/replicaset.c|older first|s/return a > b ? -1 : 1;/return a > b ? 1 : -1;/|replicaset
EOF
)

mkdir -p "$work/tree"
sync_tree() {
    (cd "$root" && git ls-files -z --cached --others --exclude-standard) |
        (cd "$root" && xargs -0 ls -d 2>/dev/null) | tar -C "$root" -cf - -T - |
        tar -C "$work/tree" -xf -
}
sync_tree
cmake -S "$work/tree" -B "$work/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DSLUICE_WERROR=OFF \
    -DCMAKE_C_COMPILER_LAUNCHER="$(command -v ccache || true)" >/dev/null
build() {
    ninja -C "$work/build" sluice_tests >"$work/build.log" 2>&1
}
build || { tail -20 "$work/build.log"; exit 1; }

caught=0
missed=0
number=0
printf '%s\n' "$list" >"$work/list"
while IFS= read -r line; do
    number=$((number + 1))
    [ "$number" -ge "$first" ] && [ "$number" -le "$last" ] || continue
    file=${line%%|*}
    rest=${line#*|}
    what=${rest%%|*}
    rest=${rest#*|}
    suites=${rest##*|}
    change=${rest%|*}
    sed "$change" "$root/$file" >"$work/tree/$file"
    if cmp -s "$root/$file" "$work/tree/$file"; then
        echo "$number STALE  $what ($file)"
        missed=$((missed + 1))
        continue
    fi
    if ! build; then
        echo "$number BROKEN $what ($file)"
        grep -m 3 error "$work/build.log" || true
        missed=$((missed + 1))
    else
        survived=1
        for suite in $(echo "$suites" | tr ',' ' '); do
            if ! timeout 600 "$work/build/sluice_tests" --filter "$suite/*" >"$work/test.log" 2>&1; then
                survived=0
                break
            fi
        done
        if [ "$survived" = 1 ]; then
            echo "$number MISSED $what ($file)"
            missed=$((missed + 1))
        else
            echo "$number caught $what"
            caught=$((caught + 1))
        fi
    fi
    cp "$root/$file" "$work/tree/$file"
done <"$work/list"
echo "$caught caught, $missed not"
[ "$missed" = 0 ]
