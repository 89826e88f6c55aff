/*
 * SASL mechanisms against the examples of their RFCs, and servers that cheat.
 */
#include "daemon/net/sasl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/net/sasl_internal.h"
#include "tests/unit/test.h"

static struct sasl *begin(enum mail_auth auth, const char *user, const char *password)
{
	struct sasl *sasl = NULL;

	expect_int(sasl_new(&sasl, auth, user, password), 0);
	return sasl;
}

static const char *base64(const char *text)
{
	static struct sasl scratch;

	expect_int(sasl_respond(&scratch, text, strlen(text)), 0);
	return scratch.response;
}

/* What is sent, in clear. */
static void expect_said(const char *response, const char *wanted, size_t size)
{
	char *data = NULL;
	size_t got;

	assert_non_null(response);
	expect_int(sasl_decode(response, &data, &got), 0);
	expect_int(got, size);
	assert_memory_equal(data, wanted, size);
	free(data);
}
#define EXPECT_SAID(response, wanted) expect_said(response, wanted, sizeof(wanted) - 1)

static void test_plain(void **state)
{
	struct sasl *sasl = begin(MAIL_AUTH_PLAIN, "tim", "tanstaaftanstaaf");
	const char *response;

	(void)state;
	EXPECT_SAID(sasl_first(sasl), "\0tim\0tanstaaftanstaaf");
	assert_true(sasl_done(sasl));
	expect_int(sasl_step(sasl, "", &response), -EBADMSG);
	sasl_free(sasl);
}

static void test_login(void **state)
{
	struct sasl *sasl = begin(MAIL_AUTH_LOGIN, "tim", "secret");
	const char *response;

	(void)state;
	assert_null(sasl_first(sasl));
	expect_int(sasl_step(sasl, base64("Username:"), &response), 0);
	EXPECT_SAID(response, "tim");
	assert_false(sasl_done(sasl));
	expect_int(sasl_step(sasl, base64("Password:"), &response), 0);
	EXPECT_SAID(response, "secret");
	assert_true(sasl_done(sasl));
	expect_int(sasl_step(sasl, base64("More:"), &response), -EBADMSG);
	sasl_free(sasl);
}

/* RFC 2195, 2 */
static void test_cram_md5(void **state)
{
	struct sasl *sasl = begin(MAIL_AUTH_CRAM_MD5, "tim", "tanstaaftanstaaf");
	const char *response;

	(void)state;
	assert_null(sasl_first(sasl));
	expect_int(sasl_step(sasl, base64("<1896.697170952@postoffice.reston.mci.net>"), &response),
		0);
	EXPECT_SAID(response, "tim b913a602c7eda7a495b4e6e7334d3890");
	assert_true(sasl_done(sasl));
	sasl_free(sasl);
}

static void test_xoauth2(void **state)
{
	struct sasl *sasl = begin(MAIL_AUTH_XOAUTH2, "someuser@example.com", "ya29.vF9dft4");
	const char *response;

	(void)state;
	EXPECT_SAID(
		sasl_first(sasl), "user=someuser@example.com\001auth=Bearer ya29.vF9dft4\001\001");
	expect_int(sasl_step(sasl, base64("{\"status\":\"401\"}"), &response), 0);
	assert_string_equal(response, "");
	assert_false(sasl_done(sasl));
	sasl_free(sasl);
}

/* Puts the RFC's nonce in the place of the random one. */
static struct sasl *begin_scram(enum mail_auth auth, const char *user, const char *nonce)
{
	struct sasl *sasl = begin(auth, user, "pencil");
	char *data = NULL, expected[128];
	size_t size;

	(void)snprintf(expected, sizeof(expected), "n,,n=%s,r=%s", user, sasl->scram.nonce);
	expect_said(sasl_first(sasl), expected, strlen(expected));
	expect_int(sasl_decode(sasl_first(sasl), &data, &size), 0);
	free(data);
	(void)snprintf(sasl->scram.nonce, sizeof(sasl->scram.nonce), "%s", nonce);
	(void)snprintf(sasl->scram.first_bare, strlen(sasl->scram.first_bare) + 1, "n=%s,r=%s",
		user, nonce);
	return sasl;
}

/* RFC 5802, 5 */
#define SHA1_NONCE "fyko+d2lbbFgONRv9qkxdawL"
#define SHA1_FIRST "r=fyko+d2lbbFgONRv9qkxdawL3rfcNHYJY1ZVvWVs7j,s=QSXCR+Q6sek8bf92,i=4096"
#define SHA1_ANSWER                                            \
	"c=biws,r=fyko+d2lbbFgONRv9qkxdawL3rfcNHYJY1ZVvWVs7j," \
	"p=v0X8v3Bz2T0CJGbJQyF0X+HI4Ts="
#define SHA1_FINAL "v=rmF9pqV8S7suAoZWja4dJRkFsKQ="
/* RFC 7677, 3 */
#define SHA256_NONCE "rOprNGfwEbeRWgbNEkqO"
#define SHA256_FIRST                                            \
	"r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0," \
	"s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096"
#define SHA256_ANSWER                                                  \
	"c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0," \
	"p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ="
#define SHA256_FINAL "v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4="

static void test_scram(void **state)
{
	struct sasl *sasl = begin_scram(MAIL_AUTH_SCRAM_SHA_1, "user", SHA1_NONCE);
	const char *response;

	(void)state;
	expect_int(sasl_step(sasl, base64(SHA1_FIRST), &response), 0);
	EXPECT_SAID(response, SHA1_ANSWER);
	assert_false(sasl_done(sasl));
	expect_int(sasl_step(sasl, base64(SHA1_FINAL), &response), 0);
	assert_string_equal(response, "");
	assert_true(sasl_done(sasl));
	expect_int(sasl_step(sasl, "", &response), -EBADMSG);
	sasl_free(sasl);

	sasl = begin_scram(MAIL_AUTH_SCRAM_SHA_256, "user", SHA256_NONCE);
	expect_int(sasl_step(sasl, base64(SHA256_FIRST), &response), 0);
	EXPECT_SAID(response, SHA256_ANSWER);
	expect_int(sasl_step(sasl, base64(SHA256_FINAL), &response), 0);
	assert_true(sasl_done(sasl));
	sasl_free(sasl);
}

static void test_scram_names(void **state)
{
	struct sasl *sasl = begin(MAIL_AUTH_SCRAM_SHA_256, "a=b,c", "x");
	char *data = NULL;
	size_t size;

	(void)state;
	expect_int(sasl_decode(sasl_first(sasl), &data, &size), 0);
	assert_memory_equal(data, "n,,n=a=3Db=2Cc,r=", 17);
	free(data);
	sasl_free(sasl);
}

/* A server that does not know the password, or does not keep to the mechanism. */
static void test_scram_cheats(void **state)
{
	static const struct {
		const char *first, *final; /* final NULL: the first one is refused */
		int error;
	} rows[] = {
		{SHA1_FIRST, "v=AAAAAAAAAAAAAAAAAAAAAAAAAAA=", -EACCES},
		{SHA1_FIRST, "v=", -EACCES},
		{SHA1_FIRST, "e=invalid-proof", -EACCES},
		{SHA1_FIRST, "", -EACCES},
		{"r=somebodyelse,s=QSXCR+Q6sek8bf92,i=4096", NULL, -EBADMSG},
		{"r=" SHA1_NONCE ",s=QSXCR+Q6sek8bf92,i=4096", NULL, -EBADMSG},
		{"r=" SHA1_NONCE "x,s=QSXCR+Q6sek8bf92,i=0", NULL, -EBADMSG},
		{"r=" SHA1_NONCE "x,s=QSXCR+Q6sek8bf92,i=4294967297", NULL, -EBADMSG},
		{"r=" SHA1_NONCE "x,s=QSXCR+Q6sek8bf92,i=-1", NULL, -EBADMSG},
		{"r=" SHA1_NONCE "x,s=***,i=4096", NULL, -EBADMSG},
		{"r=" SHA1_NONCE "x", NULL, -EBADMSG},
		{"m=ext,r=" SHA1_NONCE "x,s=QSXCR+Q6sek8bf92,i=4096", NULL, -EBADMSG},
		{"", NULL, -EBADMSG},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct sasl *sasl = begin_scram(MAIL_AUTH_SCRAM_SHA_1, "user", SHA1_NONCE);
		const char *response;
		int r = sasl_step(sasl, base64(rows[i].first), &response);

		if (rows[i].final) {
			expect_int(r, 0);
			r = sasl_step(sasl, base64(rows[i].final), &response);
		}
		if (r != rows[i].error)
			fail_msg("row %zu: %d", i, r);
		assert_false(sasl_done(sasl));
		sasl_free(sasl);
	}
}

static void test_base64(void **state)
{
	struct sasl *sasl = begin(MAIL_AUTH_CRAM_MD5, "u", "p");
	const size_t size = 4 * (size_t)SASL_CHALLENGE_MAX;
	char *big = malloc(size + 1);
	const char *response;

	(void)state;
	assert_non_null(big);
	memset(big, 'A', size);
	big[size] = '\0';
	expect_int(sasl_step(sasl, big, &response), -EBADMSG);
	expect_int(sasl_step(sasl, "\x01\xff", &response), -EBADMSG);
	free(big);
	sasl_free(sasl);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain),
		cmocka_unit_test(test_login),
		cmocka_unit_test(test_cram_md5),
		cmocka_unit_test(test_xoauth2),
		cmocka_unit_test(test_scram),
		cmocka_unit_test(test_scram_names),
		cmocka_unit_test(test_scram_cheats),
		cmocka_unit_test(test_base64),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
