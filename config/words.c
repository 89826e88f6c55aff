#include "config/words.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/overrides.h"
#include "config/utf8.h"
#include "core/fold.h"

enum word_kind {
	WORD_COMMAND = 0,
	WORD_PERIOD, /* a word around dates */
	WORD_RULING,
	WORD_TALK,
};

struct meaning {
	enum word_kind kind;
	int word; /* enum command, enum ruling_word or enum talk_use */
};

/* A language's files, by their names. */
enum word_file {
	FILE_COMMANDS = 0,
	FILE_RULINGS,
	FILE_TALK,
	FILE_MOVES,
	WORD_FILES,
};

static const char *const file_names[WORD_FILES] = {
	[FILE_COMMANDS] = "commands",
	[FILE_RULINGS] = "rulings",
	[FILE_TALK] = "talk",
	[FILE_MOVES] = "moves",
};

static enum word_file file_find(const char *name)
{
	size_t i = 0;

	while (i < WORD_FILES && strcmp(file_names[i], name) != 0)
		i++;
	return (enum word_file)i;
}

struct phrase {
	char *text; /* folded */
	size_t size;
	struct meaning meaning;
};

/* What an override file has replaced. */
struct replaced {
	char *language;
	enum word_file file;
};

struct words {
	struct phrase *phrases;
	size_t n;
	struct talk *talk;
	struct replaced *replaced;
	size_t n_replaced;
};

static const struct {
	const char *name;
	struct meaning meaning;
} names[] = {
	{"period", {WORD_PERIOD, COMMAND_NONE}},
	{"resign", {WORD_COMMAND, COMMAND_RESIGN}},
	{"draw", {WORD_COMMAND, COMMAND_DRAW}},
	{"accept", {WORD_COMMAND, COMMAND_ACCEPT}},
	{"decline", {WORD_COMMAND, COMMAND_DECLINE}},
	{"claim-threefold", {WORD_COMMAND, COMMAND_CLAIM_THREEFOLD}},
	{"claim-fifty", {WORD_COMMAND, COMMAND_CLAIM_FIFTY}},
	{"demand-fifty", {WORD_COMMAND, COMMAND_DEMAND_FIFTY}},
	{"claim-time", {WORD_COMMAND, COMMAND_CLAIM_TIME}},
	{"leave", {WORD_COMMAND, COMMAND_LEAVE}},
	{"end-leave", {WORD_COMMAND, COMMAND_END_LEAVE}},
	{"stop", {WORD_COMMAND, COMMAND_STOP}},
	{"vacation", {WORD_COMMAND, COMMAND_VACATION}},
	{"withdraw", {WORD_COMMAND, COMMAND_WITHDRAW}},
	{"agree", {WORD_COMMAND, COMMAND_AGREE}},
	{"refuse", {WORD_COMMAND, COMMAND_REFUSE}},
	{"status", {WORD_COMMAND, COMMAND_STATUS}},
	{"resend", {WORD_COMMAND, COMMAND_RESEND}},
	{"address", {WORD_COMMAND, COMMAND_ADDRESS}},
	{"language", {WORD_COMMAND, COMMAND_LANGUAGE}},
	{"notation", {WORD_COMMAND, COMMAND_NOTATION}},
	{"help", {WORD_COMMAND, COMMAND_HELP}},
	{"uphold", {WORD_RULING, RULING_WORD_UPHOLD}},
	{"reject", {WORD_RULING, RULING_WORD_REJECT}},
	{"bar", {WORD_RULING, RULING_WORD_BAR}},
	{"resume", {WORD_RULING, RULING_WORD_RESUME}},
	{"result", {WORD_RULING, RULING_WORD_RESULT}},
	{"draw", {WORD_RULING, RULING_WORD_DRAW}},
	{"annul", {WORD_RULING, RULING_WORD_ANNUL}},
	{"adjudicate", {WORD_RULING, RULING_WORD_ADJUDICATE}},
	{"penalty", {WORD_RULING, RULING_WORD_PENALTY}},
	{"lift", {WORD_RULING, RULING_WORD_LIFT}},
	{"leave-approve", {WORD_RULING, RULING_WORD_LEAVE_APPROVE}},
	{"leave-refuse", {WORD_RULING, RULING_WORD_LEAVE_REFUSE}},
	{"rollback", {WORD_RULING, RULING_WORD_ROLLBACK}},
	{"unclear", {WORD_RULING, RULING_WORD_UNCLEAR}},
	{"correct", {WORD_RULING, RULING_WORD_CORRECT}},
	{"credit", {WORD_RULING, RULING_WORD_CREDIT}},
	{"move", {WORD_RULING, RULING_WORD_MOVE}},
	{"accept-address", {WORD_RULING, RULING_WORD_ACCEPT_ADDRESS}},
	{"mobile", {WORD_RULING, RULING_WORD_MOBILE}},
	{"no-access", {WORD_RULING, RULING_WORD_NO_ACCESS}},
	{"announce", {WORD_RULING, RULING_WORD_ANNOUNCE}},
	{"white", {WORD_RULING, RULING_WORD_WHITE}},
	{"black", {WORD_RULING, RULING_WORD_BLACK}},
	{"sent", {WORD_RULING, RULING_WORD_SENT}},
	{"delivered", {WORD_RULING, RULING_WORD_DELIVERED}},
	{"on", {WORD_RULING, RULING_WORD_ON}},
	{"off", {WORD_RULING, RULING_WORD_OFF}},
	{"reason", {WORD_RULING, RULING_WORD_REASON}},
	{"filler", {WORD_RULING, RULING_WORD_FILLER}},
};

/* ---- Folding ---- */

static size_t put_code(uint32_t code, char out[4])
{
	if (code < 0x80) {
		out[0] = (char)code;
		return 1;
	}
	if (code < 0x800) {
		out[0] = (char)(0xc0 | (code >> 6));
		out[1] = (char)(0x80 | (code & 0x3f));
		return 2;
	}
	size_t n = code < 0x10000 ? 3 : 4;
	out[0] = (char)((n == 3 ? 0xe0 : 0xf0) | (code >> (6 * (n - 1))));
	for (size_t i = 1; i < n; i++)
		out[i] = (char)(0x80 | ((code >> (6 * (n - 1 - i))) & 0x3f));
	return n;
}

size_t words_fold(
	const char *line, size_t size, char out[WORDS_LINE_MAX], size_t ret_at[WORDS_LINE_MAX])
{
	size_t n = 0;

	for (size_t at = 0; at < size;) {
		uint32_t code;
		char bytes[4];
		size_t used = utf8_decode(line + at, size - at, &code);
		bool blank = used == 1 && strchr(" \t\r\n", (int)code);
		if (used == 0 || code == 0)
			return 0;
		if (blank && (n == 0 || out[n - 1] == ' ')) {
			at += used;
			continue;
		}
		size_t put = put_code(blank ? ' ' : fold_upper(code), bytes);
		if (n + put >= WORDS_LINE_MAX)
			return 0;
		for (size_t i = 0; i < put; i++) {
			ret_at[n] = at;
			out[n++] = bytes[i];
		}
		at += used;
	}
	while (n > 0 && out[n - 1] == ' ')
		n--;
	out[n] = '\0';
	return n;
}

/* ---- Finding ---- */

static bool begins_with(const char *line, const struct phrase *phrase)
{
	return *line == *phrase->text && strncmp(line, phrase->text, phrase->size) == 0 &&
	       (line[phrase->size] == '\0' || strchr(" :,=", line[phrase->size]));
}

static int find_word(const struct words *words, enum word_kind kind, const char *line,
	size_t *index, size_t *ret_used)
{
	for (; *index < words->n; (*index)++) {
		const struct phrase *phrase = &words->phrases[*index];
		if (phrase->meaning.kind != kind || !begins_with(line, phrase))
			continue;
		(*index)++;
		*ret_used = phrase->size;
		return phrase->meaning.word;
	}
	return 0;
}

enum command words_find(
	const struct words *words, const char *line, size_t *index, size_t *ret_used)
{
	return (enum command)find_word(words, WORD_COMMAND, line, index, ret_used);
}

enum ruling_word words_find_ruling(
	const struct words *words, const char *line, size_t *index, size_t *ret_used)
{
	return (enum ruling_word)find_word(words, WORD_RULING, line, index, ret_used);
}

size_t words_period(const struct words *words, const char *line)
{
	for (size_t i = 0; i < words->n; i++)
		if (words->phrases[i].meaning.kind == WORD_PERIOD &&
			begins_with(line, &words->phrases[i]))
			return words->phrases[i].size;
	return 0;
}

/* ---- Loading ---- */

struct loading {
	struct words *words;
	struct fault_list *faults;
	const char *language;
	const char *file;
	unsigned line;
	enum word_file kind;
};

static int name_find(
	const struct loading *loading, const char *name, size_t size, struct meaning *ret_meaning)
{
	enum talk_use use;

	if (loading->kind == FILE_TALK || loading->kind == FILE_MOVES) {
		if (!talk_use_find(name, size, loading->kind == FILE_MOVES, &use))
			return -ENOENT;
		*ret_meaning = (struct meaning){WORD_TALK, (int)use};
		return 0;
	}
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		bool ruling = names[i].meaning.kind == WORD_RULING;
		if (ruling == (loading->kind == FILE_RULINGS) && strlen(names[i].name) == size &&
			strncmp(names[i].name, name, size) == 0) {
			*ret_meaning = names[i].meaning;
			return 0;
		}
	}
	return -ENOENT;
}

static int add_talk(struct loading *loading, char *folded, enum talk_use use)
{
	int r = talk_add(loading->words->talk, loading->language, folded, use);

	if (r != -E2BIG)
		return r;
	fault_add(loading->faults, loading->file, loading->line,
		"a phrase of too many words, or too many languages");
	return 0;
}

/* FOLDED, of N bytes, with another meaning. */
static int add_command(struct loading *loading, const char *folded, size_t n,
	const struct meaning *meaning, const char *text, size_t size)
{
	struct words *words = loading->words;

	for (size_t i = 0; i < words->n; i++) {
		const struct phrase *other = &words->phrases[i];
		if (strcmp(other->text, folded) != 0 || other->meaning.kind != meaning->kind)
			continue;
		if (other->meaning.word != meaning->word)
			fault_add(loading->faults, loading->file, loading->line,
				"\"%.*s\" states another command already", (int)size, text);
		return 0;
	}
	struct phrase *grown = reallocarray(words->phrases, words->n + 1, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	words->phrases = grown;
	struct phrase phrase = {.text = strdup(folded), .size = n, .meaning = *meaning};
	if (!phrase.text)
		return -ENOMEM;
	words->phrases[words->n++] = phrase;
	return 0;
}

static int add_phrase(
	struct loading *loading, const char *text, size_t size, const struct meaning *meaning)
{
	char folded[WORDS_LINE_MAX];
	size_t places[WORDS_LINE_MAX];
	size_t n = words_fold(text, size, folded, places);

	if (n == 0) {
		fault_add(loading->faults, loading->file, loading->line,
			"an empty phrase, or one that is too long");
		return 0;
	}
	if (meaning->kind == WORD_TALK)
		return add_talk(loading, folded, (enum talk_use)meaning->word);
	return add_command(loading, folded, n, meaning, text, size);
}

static size_t trimmed(const char **text, size_t size)
{
	while (size > 0 && strchr(" \t\r", **text)) {
		(*text)++;
		size--;
	}
	while (size > 0 && strchr(" \t\r", (*text)[size - 1]))
		size--;
	return size;
}

static int take_line(struct loading *loading, const char *line, size_t size)
{
	struct meaning meaning;
	int r = 0;

	size = trimmed(&line, size);
	if (size == 0 || *line == '#')
		return 0;
	const char *colon = memchr(line, ':', size);
	size_t name = colon ? (size_t)(colon - line) : 0;
	if (!colon || name_find(loading, line, name, &meaning) < 0) {
		fault_add(loading->faults, loading->file, loading->line,
			"a line begins with the name of a command and a colon");
		return 0;
	}
	const char *end = line + size;
	for (const char *at = colon + 1; r == 0 && at <= end;) {
		const char *bar = memchr(at, '|', (size_t)(end - at));
		const char *stop = bar ? bar : end;
		const char *phrase = at;
		size_t n = trimmed(&phrase, (size_t)(stop - at));
		r = add_phrase(loading, phrase, n, &meaning);
		at = stop + 1;
	}
	return r;
}

static int take_file(struct loading *loading, const char *file, const char *text, size_t size)
{
	int r = 0;

	loading->file = file;
	loading->line = 0;
	for (size_t at = 0; r == 0 && at < size;) {
		const char *lf = memchr(text + at, '\n', size - at);
		size_t n = lf ? (size_t)(lf - text) - at : size - at;
		loading->line++;
		r = take_line(loading, text + at, n);
		at += n + 1;
	}
	return r;
}

static bool may_override(void *context, const struct override_file *file)
{
	const struct loading *loading = context;

	if (file_find(file->name) != WORD_FILES)
		return true;
	fault_add(loading->faults, file->path, 0, "no word list has this name");
	return false;
}

static int take_override(
	void *context, const struct override_file *file, const char *text, size_t size)
{
	struct loading *loading = context;
	struct words *words = loading->words;
	struct replaced *grown =
		reallocarray(words->replaced, words->n_replaced + 1, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	words->replaced = grown;
	loading->language = file->language;
	loading->kind = file_find(file->name);
	struct replaced one = {strdup(file->language), loading->kind};
	if (!one.language)
		return -ENOMEM;
	words->replaced[words->n_replaced++] = one;
	return take_file(loading, file->path, text, size);
}

static int load_overrides(struct loading *loading, const char *overrides)
{
	const struct override_reader reader = {
		.may = may_override,
		.take = take_override,
		.context = loading,
		.faults = loading->faults,
	};

	return overrides_read(overrides, "words", &reader);
}

static bool is_replaced(const struct words *words, const char *language, enum word_file file)
{
	for (size_t i = 0; i < words->n_replaced; i++)
		if (words->replaced[i].file == file &&
			strcmp(words->replaced[i].language, language) == 0)
			return true;
	return false;
}

/* The built-in files that no override has replaced. */
static int load_embedded(struct loading *loading)
{
	struct embedded_template file;
	int r = 0;

	for (size_t i = 0; r >= 0 && words_embedded(i, &file); i++) {
		loading->kind = file_find(file.name);
		if (!*file.language || loading->kind == WORD_FILES ||
			is_replaced(loading->words, file.language, loading->kind))
			continue;
		char name[64];
		(void)snprintf(
			name, sizeof(name), "built-in words/%s/%s.txt", file.language, file.name);
		loading->language = file.language;
		r = take_file(loading, name, file.text, file.size);
		loading->file = NULL;
	}
	return r;
}

int words_load(const char *overrides, struct fault_list *faults, struct words **ret_words)
{
	struct loading loading = {.faults = faults};
	size_t before = fault_list_total(faults);
	int r = 0;

	loading.words = calloc(1, sizeof(*loading.words));
	if (!loading.words)
		return -ENOMEM;
	loading.words->talk = talk_new();
	if (!loading.words->talk)
		r = -ENOMEM;
	if (r >= 0 && overrides)
		r = load_overrides(&loading, overrides);
	if (r >= 0)
		r = load_embedded(&loading);
	if (r >= 0 && fault_list_total(faults) > before)
		r = FILE_FAULTY;
	if (r != 0) {
		words_free(loading.words);
		return r;
	}
	*ret_words = loading.words;
	return 0;
}

struct words *words_free(struct words *words)
{
	if (!words)
		return NULL;
	for (size_t i = 0; i < words->n; i++)
		free(words->phrases[i].text);
	for (size_t i = 0; i < words->n_replaced; i++)
		free(words->replaced[i].language);
	free(words->phrases);
	free(words->replaced);
	talk_free(words->talk);
	free(words);
	return NULL;
}

const struct talk *words_talk(const struct words *words)
{
	return words->talk;
}
