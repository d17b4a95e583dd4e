/* unfollowed_keys: the keys of node pools and workloads, and what becomes of each. */
#include "scenarios/run/unfollowed_keys.h"

#include <stddef.h>

#define ROW(path)                                                                                  \
    {                                                                                              \
        path, NULL, NULL                                                                           \
    }
#define INSIDE(path)                                                                               \
    {                                                                                              \
        path, "", NULL                                                                             \
    }

const struct unfollowed_keys_row unfollowed_keys_pool[] = {
    INSIDE("nodepool_info"),
    ROW("nodepool_info.name"),
    ROW("nodepool_info.nodepool_id"),
    ROW("nodepool_info.resource_group_id"),
    ROW("nodepool_info.region_id"),
    ROW("nodepool_info.is_default"),
    ROW("nodepool_info.created"),
    ROW("nodepool_info.updated"),
    {"nodepool_info.type", "only pools of ECS machines are modelled", "ess"},
    INSIDE("auto_scaling"),
    {"auto_scaling.enable", "whether nodes are bought is the scenario's clusterAutoscaler", "true"},
    ROW("auto_scaling.type"),
    ROW("auto_scaling.min_instances"),
    ROW("auto_scaling.max_instances"),
    ROW("auto_scaling.is_bond_eip"),
    ROW("auto_scaling.eip_bandwidth"),
    ROW("auto_scaling.eip_internet_charge_type"),
    ROW("auto_scaling.health_check_type"),
    INSIDE("kubernetes_config"),
    ROW("kubernetes_config.labels"),
    ROW("kubernetes_config.taints"),
    ROW("kubernetes_config.runtime"),
    ROW("kubernetes_config.runtime_version"),
    ROW("kubernetes_config.cms_enabled"),
    ROW("kubernetes_config.node_name_mode"),
    ROW("kubernetes_config.user_data"),
    ROW("kubernetes_config.pre_user_data"),
    {"kubernetes_config.cpu_policy", "CPUs are shared, none is pinned", "none"},
    {"kubernetes_config.unschedulable", "new nodes take pods at once", "false"},
    INSIDE("scaling_group"),
    ROW("scaling_group.instance_types"),
    ROW("scaling_group.multi_az_policy"),
    ROW("scaling_group.on_demand_base_capacity"),
    ROW("scaling_group.on_demand_percentage_above_base_capacity"),
    ROW("scaling_group.compensate_with_on_demand"),
    ROW("scaling_group.spot_instance_pools"),
    ROW("scaling_group.spot_instance_remedy"),
    ROW("scaling_group.spot_strategy"),
    ROW("scaling_group.spot_price_limit"),
    {"scaling_group.scaling_policy",
     "machines are always released; for stopped ones that start again, delivery: swift is the "
     "nearest",
     "release"},
    {"scaling_group.desired_size", "initialSize and the autoscaler say how many nodes there are",
     NULL},
    {"scaling_group.instance_charge_type", "nodes are paid as you go or spot", "PostPaid"},
    {"scaling_group.vswitch_ids", "zones are named by the scenario's zones", NULL},
    {"scaling_group.deploymentset_id", "machines fail one by one, wherever they stand", NULL},
    {"scaling_group.private_pool_options", "reserved capacity is not modelled", NULL},
    ROW("scaling_group.period"),
    ROW("scaling_group.period_unit"),
    ROW("scaling_group.auto_renew"),
    ROW("scaling_group.auto_renew_period"),
    ROW("scaling_group.id"),
    ROW("scaling_group.image_id"),
    ROW("scaling_group.image_type"),
    ROW("scaling_group.platform"),
    ROW("scaling_group.key_pair"),
    ROW("scaling_group.login_as_non_root"),
    ROW("scaling_group.login_password"),
    ROW("scaling_group.ram_policy"),
    ROW("scaling_group.worker_ram_role_name"),
    ROW("scaling_group.ram_role_name"),
    ROW("scaling_group.security_group_id"),
    ROW("scaling_group.security_group_ids"),
    ROW("scaling_group.security_hardening_os"),
    ROW("scaling_group.soc_enabled"),
    ROW("scaling_group.cis_enabled"),
    ROW("scaling_group.rds_instances"),
    ROW("scaling_group.tags"),
    ROW("scaling_group.system_disk_category"),
    ROW("scaling_group.system_disk_categories"),
    ROW("scaling_group.system_disk_size"),
    ROW("scaling_group.system_disk_performance_level"),
    ROW("scaling_group.system_disk_encrypted"),
    ROW("scaling_group.data_disks"),
    ROW("scaling_group.internet_charge_type"),
    ROW("scaling_group.internet_max_bandwidth_out"),
    {"count", "initialSize and the autoscaler say how many nodes there are", NULL},
    {"interconnect_config", "machines of other clouds are not modelled", NULL},
    ROW("interconnect_mode"),
    ROW("host_network"),
    ROW("intranet"),
    ROW("management"),
    ROW("max_nodes"),
    ROW("tee_config"),
    ROW("node_config"),
    ROW("status"),
    {NULL, NULL, NULL},
};

const struct unfollowed_keys_row unfollowed_keys_deployment[] = {
    ROW("apiVersion"),
    ROW("kind"),
    ROW("metadata"),
    ROW("status"),
    INSIDE("spec"),
    ROW("spec.replicas"),
    ROW("spec.selector"),
    ROW("spec.revisionHistoryLimit"),
    ROW("spec.progressDeadlineSeconds"),
    ROW("spec.paused"),
    ROW("spec.strategy"), /* of rollouts, which are in the scenario with all they need */
    {"spec.minReadySeconds", "a pod serves as soon as it is ready", "0"},
    INSIDE("spec.template"),
    ROW("spec.template.metadata"),
    ROW("spec.template.spec"),
    {NULL, NULL, NULL},
};

const struct unfollowed_keys_row unfollowed_keys_job[] = {
    ROW("apiVersion"),
    ROW("kind"),
    ROW("metadata"),
    ROW("status"),
    INSIDE("spec"),
    ROW("spec.parallelism"),
    ROW("spec.completions"),
    ROW("spec.activeDeadlineSeconds"),
    ROW("spec.backoffLimit"),
    ROW("spec.ttlSecondsAfterFinished"),
    ROW("spec.completionMode"),
    ROW("spec.selector"),
    ROW("spec.manualSelector"),
    {"spec.suspend", "the job is submitted all the same, at `at`", "false"},
    {"spec.backoffLimitPerIndex", "failures count against backoffLimit, whatever their index",
     NULL},
    {"spec.maxFailedIndexes", "failures count against backoffLimit, whatever their index", NULL},
    {"spec.podFailurePolicy", "every failure counts against backoffLimit", NULL},
    {"spec.podReplacementPolicy", "a new pod is asked for when the old one has ended", NULL},
    {"spec.successPolicy", "a job is done when all of its completions are", NULL},
    {"spec.managedBy", "the job is run as by Kubernetes' own controller", NULL},
    INSIDE("spec.template"),
    ROW("spec.template.metadata"),
    ROW("spec.template.spec"),
    {NULL, NULL, NULL},
};

const struct unfollowed_keys_row unfollowed_keys_bare[] = {
    ROW("apiVersion"), ROW("kind"), ROW("metadata"), ROW("status"), ROW("spec"), {NULL, NULL, NULL},
};

#define PROBE(path)                                                                                \
    INSIDE(path), ROW(path ".httpGet"), ROW(path ".tcpSocket"), ROW(path ".exec"),                 \
        ROW(path ".grpc"), ROW(path ".initialDelaySeconds"), ROW(path ".periodSeconds"),           \
        ROW(path ".failureThreshold"), ROW(path ".timeoutSeconds"),                                \
        ROW(path ".terminationGracePeriodSeconds"),                                                \
    {                                                                                              \
        path ".successThreshold", "one answer is enough", "1"                                      \
    }

#define GPU_SHARES "only nvidia.com/gpu, cpu and memory count; pods own whole GPUs"

#define AMOUNTS(path)                                                                              \
    INSIDE(path), ROW(path ".nvidia.com/gpu"), ROW(path ".cpu"), ROW(path ".memory"),              \
    {                                                                                              \
        path ".*", GPU_SHARES, NULL                                                                \
    }

#define CONTAINER(path)                                                                            \
    INSIDE(path), ROW(path ".name"), ROW(path ".image"), ROW(path ".imagePullPolicy"),             \
        ROW(path ".command"), ROW(path ".args"), ROW(path ".workingDir"), ROW(path ".ports"),      \
        ROW(path ".env"), ROW(path ".envFrom"), ROW(path ".volumeMounts"),                         \
        ROW(path ".volumeDevices"), ROW(path ".terminationMessagePath"),                           \
        ROW(path ".terminationMessagePolicy"), ROW(path ".securityContext"), ROW(path ".stdin"),   \
        ROW(path ".stdinOnce"), ROW(path ".tty"), ROW(path ".resizePolicy"),                       \
        ROW(path ".restartPolicy"), INSIDE(path ".resources"), AMOUNTS(path ".resources.limits"),  \
        AMOUNTS(path ".resources.requests"),                                                       \
        {path ".startupProbe",                                                                     \
         "readiness and liveness begin with the container; give them an initialDelaySeconds",      \
         NULL},                                                                                    \
        {path ".resources.claims", "dynamic allocation of devices is not modelled", NULL},         \
    {                                                                                              \
        path ".lifecycle", "the sleep of a preStop hook is the service's preStop", NULL            \
    }

const struct unfollowed_keys_row unfollowed_keys_spec[] = {
    CONTAINER("containers"),
    PROBE("containers.livenessProbe"),
    PROBE("containers.readinessProbe"),
    CONTAINER("initContainers"),
    ROW("initContainers.livenessProbe"),
    ROW("initContainers.readinessProbe"),
    INSIDE("resources"),
    AMOUNTS("resources.limits"),
    AMOUNTS("resources.requests"),
    ROW("overhead"),
    ROW("nodeSelector"),
    ROW("nodeName"),
    ROW("tolerations"),
    ROW("priority"),
    ROW("priorityClassName"),
    ROW("preemptionPolicy"),
    ROW("terminationGracePeriodSeconds"),
    ROW("restartPolicy"),
    ROW("activeDeadlineSeconds"),
    INSIDE("affinity"),
    {"affinity.nodeAffinity", "nodes are chosen by nodeSelector and gpuTypes", NULL},
    {"affinity.podAffinity", "pods are placed by nodes alone, not by the pods beside them", NULL},
    {"affinity.podAntiAffinity", "pods are placed by nodes alone, not by the pods beside them",
     NULL},
    {"topologySpreadConstraints",
     "pods are not spread over zones or nodes but by the scheduler's "
     "strategy",
     NULL},
    {"schedulerName", "the scheduler is the scenario's", "default-scheduler"},
    {"schedulingGates", "pods are scheduled at once", NULL},
    {"readinessGates", "a pod is ready by its probe alone", NULL},
    {"resourceClaims", "dynamic allocation of devices is not modelled", NULL},
    ROW("runtimeClassName"),
    ROW("volumes"),
    ROW("serviceAccountName"),
    ROW("serviceAccount"),
    ROW("automountServiceAccountToken"),
    ROW("imagePullSecrets"),
    ROW("dnsPolicy"),
    ROW("dnsConfig"),
    ROW("hostname"),
    ROW("subdomain"),
    ROW("setHostnameAsFQDN"),
    ROW("hostAliases"),
    ROW("hostNetwork"),
    ROW("hostPID"),
    ROW("hostIPC"),
    ROW("hostUsers"),
    ROW("shareProcessNamespace"),
    ROW("enableServiceLinks"),
    ROW("securityContext"),
    ROW("ephemeralContainers"),
    ROW("os"),
    {NULL, NULL, NULL},
};
