/* reports: placeholder until its first file lands. */
typedef int reports_room;
