/* kernels: placeholder until its first file lands. */
typedef int kernels_room;
