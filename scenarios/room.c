/* scenarios: placeholder until its first file lands. */
typedef int scenarios_room;
