/*
 * rewrite STYLE < GAMES: reads PGN and writes it again in one of the styles, for other
 * programs to read.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/pgn.h"

static struct pgn_record record;

/* The tags as strings that end in NUL; escapes are undone. */
static size_t copy_tags(struct pgn_tag tags[PGN_TAGS_MAX], char *room)
{
	for (size_t i = 0; i < record.n_tags; i++) {
		struct pgn_slice name = record.tags[i].name, value = record.tags[i].value;

		tags[i].name = room;
		memcpy(room, name.at, name.size);
		room += name.size;
		*room++ = '\0';
		tags[i].value = room;
		for (size_t k = 0; k < value.size; k++) {
			if (value.at[k] == '\\' && k + 1 < value.size)
				k++;
			*room++ = value.at[k];
		}
		*room++ = '\0';
	}
	return record.n_tags;
}

static int rewrite(const char *text, size_t size, enum pgn_style style)
{
	static char out[1 << 18];
	struct pgn_scan scan = {.text = text, .size = size};
	struct pgn_tag tags[PGN_TAGS_MAX];
	char *room = malloc(size + (size_t)2 * PGN_TAGS_MAX);

	while (room && pgn_next(&scan, &record)) {
		char result[8] = "*";
		struct pgn_game game = {.tags = tags,
			.n_tags = copy_tags(tags, room),
			.start = &record.start,
			.moves = record.moves,
			.n_moves = record.n_moves,
			.result = result};

		if (record.fault || record.result.size >= sizeof(result)) {
			(void)fprintf(stderr, "line %zu: a fault\n", record.fault_line);
			return 1;
		}
		memcpy(result, record.result.at, record.result.size);
		result[record.result.size] = '\0';
		if (pgn_write(&game, style, out, sizeof(out)) >= sizeof(out))
			return 1;
		(void)fputs(out, stdout);
	}
	free(room);
	return 0;
}

int main(int argc, char **argv)
{
	size_t cap = 64 << 20, size;
	char *text = malloc(cap);
	enum pgn_style style;
	int result;

	if (argc != 2 || !pgn_style_find(argv[1], strlen(argv[1]), &style) || !text)
		return 2;
	size = fread(text, 1, cap, stdin);
	result = rewrite(text, size, style);
	free(text);
	return result;
}
