/* Layout rules for quotes that are not ours, for lines.h. */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "daemon/reading/lines.h"

#define ATTRIBUTION_LINES 3
#define ATTRIBUTION_MAX ((size_t)400)
#define HEADER_BLOCK_LINES 14
#define NOWHERE ((size_t)-1)

static bool is_quote(const struct mail_line *line)
{
	return line->state == STATE_QUOTED ||
	       ((line->state == STATE_OURS || line->state == STATE_TYPED) && line->depth > 0);
}

static size_t skip_blank(const struct mail_lines *lines, size_t i)
{
	while (i < lines->n && lines->items[i].state == STATE_BLANK)
		i++;
	return i;
}

/* The line without blanks around it. */
static struct mail_line trimmed(const struct mail_line *line)
{
	struct mail_line out = *line;
	while (out.size > 0 && (out.text[0] == ' ' || out.text[0] == '\t')) {
		out.text++;
		out.size--;
	}
	while (out.size > 0 && (out.text[out.size - 1] == ' ' || out.text[out.size - 1] == '\t'))
		out.size--;
	return out;
}

static bool begins(const char *text, size_t size, const char *word)
{
	size_t n = strlen(word);
	return size >= n && strncasecmp(text, word, n) == 0;
}

static bool contains(const char *text, size_t size, const char *word)
{
	size_t n = strlen(word);
	for (size_t i = 0; i + n <= size; i++)
		if (tolower((unsigned char)text[i]) == tolower((unsigned char)*word) &&
			strncasecmp(text + i, word, n) == 0)
			return true;
	return false;
}

/* ---- header blocks ---- */

enum label {
	LABEL_NONE = 0,
	LABEL_FROM,
	LABEL_DATE,
	LABEL_TO,
	LABEL_SUBJECT,
	LABEL_CC,
};

static const struct {
	const char *word;
	enum label label;
} labels[] = {
	{"from", LABEL_FROM},
	{"von", LABEL_FROM},
	{"da", LABEL_FROM},
	{"de", LABEL_FROM},
	{"от кого", LABEL_FROM},
	{"От кого", LABEL_FROM},
	{"От", LABEL_FROM},
	{"Кто", LABEL_FROM},
	{"lähettäjä", LABEL_FROM},
	{"fra", LABEL_FROM},
	{"från", LABEL_FROM},
	{"van", LABEL_FROM},
	{"od", LABEL_FROM},
	{"feladó", LABEL_FROM},
	{"expéditeur", LABEL_FROM},
	{"remitente", LABEL_FROM},
	{"sent", LABEL_DATE},
	{"date", LABEL_DATE},
	{"gesendet", LABEL_DATE},
	{"datum", LABEL_DATE},
	{"inviato", LABEL_DATE},
	{"data", LABEL_DATE},
	{"envoyé", LABEL_DATE},
	{"enviado", LABEL_DATE},
	{"fecha", LABEL_DATE},
	{"Отправлено", LABEL_DATE},
	{"Дата", LABEL_DATE},
	{"lähetetty", LABEL_DATE},
	{"päivämäärä", LABEL_DATE},
	{"päiväys", LABEL_DATE},
	{"sendt", LABEL_DATE},
	{"dato", LABEL_DATE},
	{"skickat", LABEL_DATE},
	{"verzonden", LABEL_DATE},
	{"wysłano", LABEL_DATE},
	{"odesláno", LABEL_DATE},
	{"to", LABEL_TO},
	{"an", LABEL_TO},
	{"a", LABEL_TO},
	{"à", LABEL_TO},
	{"À", LABEL_TO},
	{"para", LABEL_TO},
	{"Кому", LABEL_TO},
	{"vastaanottaja", LABEL_TO},
	{"til", LABEL_TO},
	{"till", LABEL_TO},
	{"aan", LABEL_TO},
	{"do", LABEL_TO},
	{"komu", LABEL_TO},
	{"címzett", LABEL_TO},
	{"destinataire", LABEL_TO},
	{"subject", LABEL_SUBJECT},
	{"betreff", LABEL_SUBJECT},
	{"oggetto", LABEL_SUBJECT},
	{"objet", LABEL_SUBJECT},
	{"asunto", LABEL_SUBJECT},
	{"Тема", LABEL_SUBJECT},
	{"aihe", LABEL_SUBJECT},
	{"emne", LABEL_SUBJECT},
	{"ämne", LABEL_SUBJECT},
	{"Ämne", LABEL_SUBJECT},
	{"onderwerp", LABEL_SUBJECT},
	{"temat", LABEL_SUBJECT},
	{"předmět", LABEL_SUBJECT},
	{"tárgy", LABEL_SUBJECT},
	{"assunto", LABEL_SUBJECT},
	{"cc", LABEL_CC},
	{"kopie", LABEL_CC},
	{"copia", LABEL_CC},
	{"copie à", LABEL_CC},
	{"Копия", LABEL_CC},
	{"kopio", LABEL_CC},
};

static enum label find_label(const struct mail_line *line, bool loose)
{
	struct mail_line text = trimmed(line);
	while (text.size > 0 && text.text[0] == '*') {
		text.text++;
		text.size--;
	}
	for (size_t i = 0; i < ARRAY_SIZE(labels); i++) {
		size_t n = strlen(labels[i].word);
		if (!begins(text.text, text.size, labels[i].word))
			continue;
		size_t at = n;
		while (at < text.size && strchr(" \t*", text.text[at]))
			at++;
		if (at < text.size && text.text[at] == ':')
			return labels[i].label;
		if (loose && at > n && isupper((unsigned char)text.text[0]))
			return labels[i].label;
	}
	return LABEL_NONE;
}

/* The label that a line begins with. Without a colon it counts only if LOOSE. Blocks are looked
 * for at every line, so each line keeps what was found. */
static enum label line_label(struct mail_line *line, bool loose)
{
	if (line->labels[loose] == 0)
		line->labels[loose] = (unsigned char)(find_label(line, loose) + 1);
	return (enum label)(line->labels[loose] - 1);
}

/* Counts the different labels of the block that begins at line I; *ret_end is behind it. */
static size_t block_labels(struct mail_lines *lines, size_t i, bool loose, size_t *ret_end)
{
	unsigned seen = 0;
	size_t n = 0, strangers = 0, end = i;
	for (size_t k = i; k < lines->n && k < i + HEADER_BLOCK_LINES; k++) {
		struct mail_line *line = &lines->items[k];
		if (line->state == STATE_BLANK || line->depth > 0)
			break;
		enum label label = line_label(line, loose);
		/* Long values are wrapped. */
		if (label == LABEL_NONE && (k == i || ++strangers > 3))
			break;
		if (label != LABEL_NONE) {
			n += !(seen & 1U << label);
			seen |= 1U << label;
			strangers = 0;
			end = k + 1;
		}
	}
	*ret_end = end;
	return seen & (1U << LABEL_FROM | 1U << LABEL_DATE) ? n : 0;
}

/* ---- marks of an original below ---- */

static bool is_rule(const struct mail_line *line)
{
	struct mail_line text = trimmed(line);
	size_t n = 0;
	while (n < text.size && strchr("_-=*", text.text[n]))
		n++;
	return text.size >= 3 && n == text.size;
}

/* "-----Original Message-----" in any language: dashes, words, dashes. */
static bool is_bar(const struct mail_line *line)
{
	struct mail_line text = trimmed(line);
	size_t head = 0, tail = 0;
	while (head < text.size && (text.text[head] == '-' || text.text[head] == '_'))
		head++;
	while (tail < text.size - head && strchr("-_", text.text[text.size - 1 - tail]))
		tail++;
	return head >= 2 && tail >= 2 && text.size - head - tail >= 4 && text.size < 200;
}

static bool names_original(const struct mail_line *line)
{
	static const char *const words[] = {"original message", "original appointment",
		"forwarded message", "ursprüngliche nachricht", "originalnachricht",
		"weitergeleitete nachricht", "messaggio originale", "messaggio inoltrato",
		"message d'origine", "message original", "message transféré", "mensaje original",
		"mensaje reenviado", "mensagem original", "alkuperäinen viesti", "välitetty viesti",
		"Исходное сообщение", "исходное сообщение", "Оригинальное сообщение",
		"Пересылаемое сообщение", "пересылаемое сообщение", "Пересланное сообщение",
		"oorspronkelijk bericht", "oprindelig meddelelse", "opprinnelig melding",
		"originalmeddelande", "ursprungligt meddelande", "wiadomość oryginalna",
		"reply message", "reply above"};
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (contains(line->text, line->size, words[i]))
			return true;
	return false;
}

static bool begins_forward(const struct mail_line *line)
{
	static const char *const words[] = {"Begin forwarded message", "Inizio messaggio inoltrato",
		"Anfang der weitergeleiteten Nachricht", "Début du message réexpédié",
		"Inicio del mensaje reenviado", "Alkaa välitetty viesti",
		"Начало переадресованного сообщения"};
	struct mail_line text = trimmed(line);
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (begins(text.text, text.size, words[i]))
			return true;
	return false;
}

/* ---- attributions ---- */

static bool has_digits_date(const char *text, size_t size)
{
	for (size_t i = 0; i + 3 < size; i++) {
		bool before = i > 0 && isdigit((unsigned char)text[i - 1]);
		if (before || !isdigit((unsigned char)text[i]))
			continue;
		size_t n = 0, marks = 0;
		while (i + n < size && (isdigit((unsigned char)text[i + n]) ||
					       (n > 0 && strchr("./-:", text[i + n])))) {
			marks += !isdigit((unsigned char)text[i + n]);
			n++;
		}
		/* 12:30, 3.3.2024, 2024-12-11 or a year. */
		if ((marks >= 1 && n >= 4) || (n == 4 && marks == 0 && strchr("12", text[i])))
			return true;
	}
	return false;
}

static bool has_address(const char *text, size_t size)
{
	for (size_t i = 1; i + 1 < size; i++)
		if (text[i] == '@' && !isspace((unsigned char)text[i - 1]) &&
			!isspace((unsigned char)text[i + 1]))
			return true;
	return false;
}

static bool has_verb(const char *text, size_t size)
{
	static const char *const verbs[] = {"wrote", "writes", "schrieb", "ha scritto", "scrive",
		"a écrit", "escribió", "escreveu", "kirjoitti", "пишет", "писал", "написал",
		"skrev", "schreef", "napisał", "napsal", "írta", "said", "on behalf of"};
	for (size_t i = 0; i < ARRAY_SIZE(verbs); i++)
		if (contains(text, size, verbs[i]))
			return true;
	return false;
}

struct attribution {
	bool date, address, verb, colon;
	bool first_line; /* the first of its lines has a sign of its own */
};

/* Looks at N lines from I on as one attribution. */
static bool read_attribution(
	const struct mail_lines *lines, size_t i, size_t n, struct attribution *ret)
{
	char joined[ATTRIBUTION_MAX];
	size_t size = 0;
	*ret = (struct attribution){.date = false};
	for (size_t k = i; k < i + n; k++) {
		struct mail_line text = trimmed(&lines->items[k]);
		if (lines->items[k].state != STATE_PLAIN || size + text.size + 1 > sizeof(joined))
			return false;
		memcpy(joined + size, text.text, text.size);
		size += text.size;
		if (k == i)
			ret->first_line = has_digits_date(joined, size) ||
					  has_address(joined, size) || has_verb(joined, size);
		joined[size++] = ' ';
	}
	while (size > 0 && joined[size - 1] == ' ')
		size--;
	ret->colon = size > 0 && joined[size - 1] == ':';
	ret->date = has_digits_date(joined, size);
	ret->address = has_address(joined, size);
	/* The dear search comes last, and only where it can tell. */
	ret->verb = (ret->colon || ret->address) && has_verb(joined, size);
	return size > 0;
}

static bool is_attribution(const struct attribution *found)
{
	return found->first_line &&
	       ((found->colon && (found->date || found->address || found->verb)) ||
		       (found->date && found->address) || (found->verb && found->address));
}

/* How many lines above LAST are an attribution; 0 if none. One that lacks its date is looked
 * for one line further up. */
static size_t attribution_above(const struct mail_lines *lines, size_t last)
{
	size_t found_lines = 0;
	for (size_t n = 1; n <= ATTRIBUTION_LINES && n <= last; n++) {
		const struct mail_line *first = &lines->items[last - n];
		struct attribution found;
		if (!read_attribution(lines, last - n, n, &found))
			break;
		if (!is_attribution(&found) || line_looks_like_move(first->text, first->size))
			continue;
		if (found_lines == 0 || found.date)
			found_lines = n;
		if (found.date)
			break;
	}
	return found_lines;
}

/* Drops the attribution that ends right above the quote at I. */
static void drop_attribution(struct mail_lines *lines, size_t i)
{
	size_t last = i;
	while (last > 0 && lines->items[last - 1].state == STATE_BLANK && i - last < 3)
		last--;
	size_t n = attribution_above(lines, last);
	for (size_t k = last - n; k < last; k++)
		lines->items[k].state = STATE_DROPPED;
}

/* An attribution with everything that one can have stands for itself, quote marks or not. */
static size_t full_attribution(const struct mail_lines *lines, size_t i)
{
	for (size_t n = 1; n <= ATTRIBUTION_LINES && i + n <= lines->n; n++) {
		struct attribution found;
		if (!read_attribution(lines, i, n, &found))
			return 0;
		if (found.colon && found.date && found.address && found.verb && found.first_line)
			return n;
	}
	return 0;
}

/* ---- cutting ---- */

/* How many lines from I on are the mark of an original below; 0 if none. */
static size_t cut_mark(struct mail_lines *lines, size_t i)
{
	const struct mail_line *line = &lines->items[i];
	size_t end;
	if (block_labels(lines, i, false, &end) >= 3)
		return end - i;
	if (begins_forward(line))
		return 1;
	if (is_bar(line)) {
		size_t next = skip_blank(lines, i + 1);
		if (next < lines->n && block_labels(lines, next, true, &end) >= 2)
			return end - i;
		if (names_original(line) ||
			(has_address(line->text, line->size) && has_verb(line->text, line->size)))
			return 1;
	}
	size_t n = full_attribution(lines, i);
	size_t next = n ? skip_blank(lines, i + n) : lines->n;
	/* Above marked quotes it is only an attribution. */
	return n > 0 && next < lines->n && !is_quote(&lines->items[next]) ? n : 0;
}

static void drop_rule_above(struct mail_lines *lines, size_t i)
{
	while (i > 0 && lines->items[i - 1].state == STATE_BLANK)
		i--;
	if (i > 0 && lines->items[i - 1].state == STATE_PLAIN && is_rule(&lines->items[i - 1]))
		lines->items[i - 1].state = STATE_DROPPED;
}

/* Below a mark everything is the original, until the end of what is known to be ours. */
static void mark_cuts(struct mail_lines *lines)
{
	bool cut = false, ours = false;
	for (size_t i = 0; i < lines->n; i++) {
		struct mail_line *line = &lines->items[i];
		if (line->state == STATE_OURS || line->state == STATE_TYPED)
			ours = true;
		if (line->state != STATE_PLAIN)
			continue;
		size_t n = cut_mark(lines, i);
		if (n > 0) {
			drop_rule_above(lines, i);
			for (size_t k = i; k < i + n; k++)
				if (lines->items[k].state != STATE_BLANK)
					lines->items[k].state = STATE_DROPPED;
			i += n - 1;
			cut = true;
			ours = false;
		} else if (cut && !ours) {
			line->state = STATE_CUT;
		}
	}
}

/* ---- signatures and armour ---- */

static bool is_signature_mark(const struct mail_lines *lines, size_t i)
{
	struct mail_line text = trimmed(&lines->items[i]);
	while (text.size > 2 && text.text[0] == '*' && text.text[text.size - 1] == '*') {
		text.text++;
		text.size -= 2;
		text = trimmed(&text);
	}
	if (text.size != 2 || memcmp(text.text, "--", 2) != 0)
		return false;
	size_t at = (size_t)(text.text - lines->items[i].text);
	if (lines->items[i].size > at + 2 && lines->items[i].text[at + 2] == ' ')
		return true;
	/* Without its blank only near the end of what was written. */
	size_t below = 0;
	for (size_t k = i + 1; k < lines->n && below <= 8 && !is_quote(&lines->items[k]); k++)
		below += lines->items[k].state == STATE_PLAIN;
	return below <= 8;
}

static bool is_mobile_signature(const struct mail_line *line)
{
	static const char *const starts[] = {"Sent from my", "Sent from Outlook", "Sent from Mail",
		"Sent from Yahoo", "Sent from Proton", "Sent with ", "Get Outlook for",
		"Inviato da ", "Inviato dal ", "Scarica Outlook", "Ottieni Outlook", "Von meinem ",
		"Gesendet von ", "Gesendet mit ", "Outlook für ", "Envoyé de mon", "Envoyé depuis",
		"Enviado desde", "Obtener Outlook", "Скачайте Outlook", "Отправлено с ",
		"Отправлено из ", "Lähetetty ", "Hanki Outlook"};
	struct mail_line text = trimmed(line);
	for (size_t i = 0; text.size < 160 && i < ARRAY_SIZE(starts); i++)
		if (begins(text.text, text.size, starts[i]))
			return true;
	return false;
}

static void mark_signatures(struct mail_lines *lines)
{
	bool signature = false;
	for (size_t i = 0; i < lines->n; i++) {
		struct mail_line *line = &lines->items[i];
		if (is_quote(line) || line->state == STATE_OURS || line->state == STATE_TYPED ||
			line->state == STATE_DROPPED)
			signature = false;
		if (line->state != STATE_PLAIN)
			continue;
		if (!signature && is_signature_mark(lines, i))
			signature = true;
		if (signature || is_mobile_signature(line))
			line->state = STATE_DROPPED;
	}
}

/* OpenPGP's clear signatures: armour out, dash escapes undone. Nothing of what is encrypted. */
static void mark_armour(struct mail_lines *lines)
{
	bool head = false, tail = false, inside = false;
	for (size_t i = 0; i < lines->n; i++) {
		struct mail_line *line = &lines->items[i];
		if (line->depth > 0)
			continue;
		if (begins(line->text, line->size, "-----BEGIN PGP SIGNED MESSAGE-----"))
			head = inside = true;
		if (begins(line->text, line->size, "-----BEGIN PGP SIGNATURE-----") ||
			begins(line->text, line->size, "-----BEGIN PGP MESSAGE-----"))
			tail = true;
		bool ends = begins(line->text, line->size, "-----END PGP SIGNATURE-----") ||
			    begins(line->text, line->size, "-----END PGP MESSAGE-----");
		if (head && line->state == STATE_BLANK)
			head = false;
		if ((head || tail) && line->state != STATE_BLANK)
			line->state = STATE_DROPPED;
		else if (inside && line->size > 2 && memcmp(line->text, "- ", 2) == 0) {
			line->text += 2;
			line->size -= 2;
			line->body = line->text;
			line->body_size = line->size;
		}
		if (ends)
			tail = inside = false;
	}
}

void layout_mark(struct mail_lines *lines)
{
	mark_armour(lines);
	for (size_t i = 1; i < lines->n; i++)
		if (is_quote(&lines->items[i]) && !is_quote(&lines->items[i - 1]))
			drop_attribution(lines, i);
	/* Unmarked text of ours may have an attribution too. */
	for (size_t i = 1; i < lines->n; i++)
		if (lines->items[i].state == STATE_OURS && lines->items[i].depth == 0)
			drop_attribution(lines, i);
	mark_cuts(lines);
	mark_signatures(lines);
}
