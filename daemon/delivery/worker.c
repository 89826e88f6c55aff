#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/delivery/target.h"
#include "daemon/net/channel.h"

/* How long a target that holds a connection waits for the next mail. */
#define REST_AFTER_MS 15000

static const struct target_kind *const target_kinds[] = {
	&maildir_target, &smtp_target, &smtps_target, NULL};

void attempt_result(
	struct attempt *attempt, enum delivery_status status, int code, const char *format, ...)
{
	va_list args;

	attempt->status = status;
	attempt->code = code;
	attempt->slow_down = false;
	va_start(args, format);
	(void)vsnprintf(attempt->text, sizeof(attempt->text), format, args);
	va_end(args);
	for (char *c = attempt->text; *c; c++)
		if ((unsigned char)*c < ' ' || (unsigned char)*c >= 0x7f)
			*c = '?';
}

static int attempt_read(struct attempt *attempt, const struct frame *frame)
{
	struct delivery_mail *mail = &attempt->mail;
	struct frame_fields fields;

	*mail = (struct delivery_mail){.id = 0};
	frame_fields_begin(&fields, frame);
	mail->id = frame_get_i64(&fields);
	if (frame->type == DELIVERY_CHECK)
		return frame_fields_end(&fields);
	if (frame->type != DELIVERY_DELIVER)
		return -EBADMSG;
	mail->now = frame_get_i64(&fields);
	mail->key = frame_get_string(&fields);
	mail->from = frame_get_string(&fields);
	mail->recipient = frame_get_string(&fields);
	mail->raw = frame_get_blob(&fields, &mail->size);
	return frame_fields_end(&fields);
}

static int attempt_answer(
	const struct attempt *attempt, struct channel *channel, struct frame_writer *writer)
{
	int r;

	frame_begin(writer, DELIVERY_RESULT);
	frame_put_i64(writer, attempt->mail.id);
	frame_put_u8(writer, (uint8_t)attempt->status);
	frame_put_u32(writer, (uint32_t)attempt->code);
	frame_put_u8(writer, attempt->slow_down);
	frame_put_string(writer, attempt->text);
	r = frame_end(writer);
	return r < 0 ? r : channel_send(channel, writer);
}

static int work_off(const struct target_kind *kind, struct target *target,
	const struct frame *frame, struct attempt *attempt)
{
	int r = attempt_read(attempt, frame);

	if (r < 0)
		return r;
	if (frame->type == DELIVERY_DELIVER)
		return kind->deliver(target, attempt);
	attempt_result(attempt, DELIVERY_DELIVERED, 0, "reached");
	return kind->check ? kind->check(target, attempt) : 0;
}

/* The next frame; a target that has rested waits without limit. */
static int receive(const struct target_kind *kind, struct target *target, struct channel *channel,
	struct frame *ret_frame)
{
	struct pollfd socket = {.fd = channel->fd, .events = POLLIN};
	int r = channel_next(channel, ret_frame);

	if (r != 0)
		return r;
	if (kind->rest && poll(&socket, 1, REST_AFTER_MS) == 0)
		kind->rest(target);
	return channel_receive(channel, ret_frame);
}

static int deliver_all(
	const struct target_kind *kind, struct target *target, struct channel *channel)
{
	struct frame_writer writer;
	struct attempt attempt;
	struct frame frame;
	int r;

	frame_writer_init(&writer, DELIVERY_FRAME_EXTRA);
	while ((r = receive(kind, target, channel, &frame)) > 0) {
		r = work_off(kind, target, &frame, &attempt);
		if (r == 0)
			r = attempt_answer(&attempt, channel, &writer);
		if (r < 0)
			break;
	}
	frame_writer_clear(&writer);
	return r;
}

static int config_read(
	struct target_config *config, const char **ret_url, struct frame_fields *fields)
{
	*ret_url = frame_get_string(fields);
	config->host = frame_get_string(fields);
	config->port = (uint16_t)frame_get_u32(fields);
	config->tls = (enum tls_mode)frame_get_u8(fields);
	config->ca_file = frame_get_string(fields);
	config->auth = (enum mail_auth)frame_get_u8(fields);
	config->user = frame_get_string(fields);
	config->password = frame_get_string(fields);
	config->hello = frame_get_string(fields);
	config->timeout_ms = (uint64_t)frame_get_i64(fields);
	if (frame_fields_end(fields) < 0)
		return -EBADMSG;
	if (*config->ca_file == '\0')
		config->ca_file = NULL;
	return 0;
}

/* The kind for a URL, and where its address begins. */
static const struct target_kind *kind_find(const char *url, const char **ret_address)
{
	for (size_t i = 0; target_kinds[i]; i++) {
		size_t size = strlen(target_kinds[i]->scheme);

		if (strncmp(url, target_kinds[i]->scheme, size) != 0)
			continue;
		*ret_address = url + size;
		return target_kinds[i];
	}
	return NULL;
}

static int delivery_run(struct channel *channel)
{
	struct target_config config = {.abort_fd = channel->fd};
	const struct target_kind *kind;
	struct target *target;
	struct frame_fields fields;
	const char *url;
	int r;

	r = channel_config(channel, &fields);
	if (r < 0)
		return r;
	r = config_read(&config, &url, &fields);
	if (r < 0)
		return r;
	kind = kind_find(url, &config.address);
	if (!kind)
		return -EPROTONOSUPPORT;
	r = kind->open(&target, &config);
	if (r < 0)
		return r;
	r = kind->shut_in();
	if (r == 0)
		r = channel_ready(channel);
	if (r == 0)
		r = deliver_all(kind, target, channel);
	kind->close(target);
	return r;
}

int delivery_worker(int fd)
{
	struct channel channel;
	int r;

	channel_init(&channel, fd, DELIVERY_MAIL_MAX + DELIVERY_FRAME_EXTRA);
	r = delivery_run(&channel);
	channel_clear(&channel);
	/* Main has gone first: nothing to say, and nobody to say it to. */
	if (r == 0 || r == -EPIPE || r == -ECONNRESET)
		return EXIT_SUCCESS;
	(void)fprintf(stderr, "<3>delivery worker: %s\n", strerrordesc_np(-r));
	return EXIT_FAILURE;
}
