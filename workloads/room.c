/* workloads: placeholder until its first file lands. */
typedef int workloads_room;
