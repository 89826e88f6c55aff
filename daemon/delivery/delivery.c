#include "daemon/delivery/delivery.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/delivery/protocol.h"
#include "daemon/net/requests.h"
#include "daemon/net/tls_stream.h"

/* A Maildir takes milliseconds; a mail server may use up the time of each of its steps. */
#define MAIL_MS 300000
#define STEPS 20
#define START_MS 30000
#define RESTART_MAX_MS 60000

struct delivery {
	struct requests *requests;
	const struct delivery_handlers *handlers;
	void *userdata;
};

static int on_answer(void *userdata, int64_t id, const struct frame *frame)
{
	struct delivery *delivery = userdata;
	struct delivery_result result = {.id = id};
	struct frame_fields fields;
	uint8_t status, slow_down;
	uint32_t code;

	if (frame->type != DELIVERY_RESULT)
		return -EBADMSG;
	frame_fields_begin(&fields, frame);
	(void)frame_get_i64(&fields);
	status = frame_get_u8(&fields);
	code = frame_get_u32(&fields);
	slow_down = frame_get_u8(&fields);
	result.text = frame_get_line(&fields);
	if (frame_fields_end(&fields) < 0 || status < DELIVERY_DELIVERED ||
		status > DELIVERY_LOST || slow_down > 1 || code > 999)
		return -EBADMSG;
	result.status = (enum delivery_status)status;
	result.code = (int)code;
	result.slow_down = slow_down;
	delivery->handlers->on_result(delivery->userdata, &result);
	return 0;
}

/* Nobody knows whether it went out: to send it again is harmless, to forget it is not. */
static void on_lost(void *userdata, int64_t id, const struct worker_death *death)
{
	struct delivery *delivery = userdata;
	struct delivery_result result = {.id = id,
		.status = death->was_ready ? DELIVERY_LOST : DELIVERY_UNREACHABLE,
		.text = death->text};

	delivery->handlers->on_result(delivery->userdata, &result);
}

static void on_death(void *userdata, const struct worker_death *death)
{
	struct delivery *delivery = userdata;

	if (delivery->handlers->on_death)
		delivery->handlers->on_death(delivery->userdata, death);
}

static const struct requests_handlers requests_handlers = {
	.on_answer = on_answer,
	.on_lost = on_lost,
	.on_death = on_death,
};

/* The fields of FRAME_CONFIG. */
static void config_write(struct frame_writer *writer, const struct delivery_config *config)
{
	static const struct mail_account nowhere = {.auth = MAIL_AUTH_NONE};
	const struct mail_account *account = config->account ? config->account : &nowhere;
	const char *maildir = config->account ? account->url.path : config->maildir;
	bool at_once = account->url.scheme == URL_SMTPS;
	char target[DELIVERY_TARGET_MAX];
	int n;

	n = maildir ? snprintf(target, sizeof(target), "maildir:%s", maildir)
		    : snprintf(target, sizeof(target), "%s:%s:%u", at_once ? "smtps" : "smtp",
			      account->url.host, (unsigned)account->url.port);
	if (n < 0 || (size_t)n >= sizeof(target)) {
		writer->error = -ENAMETOOLONG;
		return;
	}
	frame_put_string(writer, target);
	frame_put_string(writer, account->url.host);
	frame_put_u32(writer, account->url.port);
	frame_put_u8(writer, at_once                         ? TLS_AT_ONCE
			     : account->tls == MAIL_TLS_NONE ? TLS_NEVER
							     : TLS_LATER);
	frame_put_string(writer, account->ca_file);
	frame_put_u8(writer, (uint8_t)account->auth);
	frame_put_string(writer, account->url.user);
	frame_put_string(writer, config->password);
	frame_put_string(writer, config->hello);
	frame_put_i64(writer, account->timeout);
}

static int delivery_start(
	struct delivery *delivery, sd_event *event, const struct delivery_config *config)
{
	uint64_t timeout = config->account ? (uint64_t)config->account->timeout : 0;
	const struct requests_options options = {.window = DELIVERY_WINDOW,
		.window_bytes = DELIVERY_WINDOW_BYTES,
		.limit_ms = timeout * STEPS > MAIL_MS ? timeout * STEPS : MAIL_MS,
		.start_ms = START_MS,
		.lost_unready = true};
	struct worker_options worker = {.kind = "delivery",
		.frame_limit = DELIVERY_FRAME_EXTRA,
		.restart_max_ms = RESTART_MAX_MS};
	struct frame_writer writer;
	int r;

	frame_writer_init(&writer, DELIVERY_CONFIG_MAX);
	config_write(&writer, config);
	worker.config = writer.bytes;
	worker.config_size = writer.size;
	r = writer.error ? writer.error
			 : requests_new(&delivery->requests, event, &worker, &options,
				   &requests_handlers, delivery);
	if (writer.bytes)
		explicit_bzero(writer.bytes, writer.size);
	frame_writer_clear(&writer);
	return r;
}

int delivery_open(struct delivery **ret_delivery, sd_event *event,
	const struct delivery_config *config, const struct delivery_handlers *handlers,
	void *userdata)
{
	struct delivery *delivery = calloc(1, sizeof(*delivery));
	int r;

	if (!delivery)
		return -ENOMEM;
	delivery->handlers = handlers;
	delivery->userdata = userdata;
	r = delivery_start(delivery, event, config);
	if (r < 0) {
		delivery_close(delivery);
		return r;
	}
	*ret_delivery = delivery;
	return 0;
}

void delivery_close(struct delivery *delivery)
{
	if (!delivery)
		return;
	requests_free(delivery->requests);
	free(delivery);
}

int delivery_send(struct delivery *delivery, const struct delivery_mail *mail)
{
	struct frame_writer *writer;

	if (mail->size > DELIVERY_MAIL_MAX ||
		strlen(mail->key) + strlen(mail->from) + strlen(mail->recipient) >
			DELIVERY_FRAME_EXTRA / 2)
		return -EMSGSIZE;
	writer = requests_begin(delivery->requests, DELIVERY_DELIVER, mail->id);
	frame_put_i64(writer, mail->now);
	frame_put_string(writer, mail->key);
	frame_put_string(writer, mail->from);
	frame_put_string(writer, mail->recipient);
	frame_put_blob(writer, mail->raw, mail->size);
	return requests_send(delivery->requests);
}

int delivery_check(struct delivery *delivery, int64_t id)
{
	(void)requests_begin(delivery->requests, DELIVERY_CHECK, id);
	return requests_send(delivery->requests);
}

size_t delivery_waiting(const struct delivery *delivery)
{
	return requests_waiting(delivery->requests);
}

pid_t delivery_pid(const struct delivery *delivery)
{
	return requests_pid(delivery->requests);
}
