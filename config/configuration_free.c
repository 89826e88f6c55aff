#include <stdlib.h>

#include "config/configuration.h"

static void server_release(struct mail_account *account)
{
	mail_url_release(&account->url);
	free(account->password.name);
	free(account->ca_file);
}

struct configuration *configuration_free(struct configuration *configuration)
{
	if (!configuration)
		return NULL;
	free(configuration->path);
	free(configuration->club.name);
	free(configuration->club.address);
	free(configuration->club.arbiter);
	free(configuration->club.arbiter_name);
	free(configuration->club.admin);
	free(configuration->club.timezone);
	free(configuration->club.language);
	free(configuration->club.overrides);
	free(configuration->store.directory);
	free(configuration->store.metrics);
	for (size_t i = 0; i < configuration->n_mailboxes; i++) {
		struct configured_mailbox *mailbox = &configuration->mailboxes[i];
		free(mailbox->name);
		server_release(&mailbox->account);
		free(mailbox->archive);
		free(mailbox->junk);
	}
	free(configuration->mailboxes);
	server_release(&configuration->delivery);
	for (size_t i = 0; i < configuration->n_accounts; i++)
		account_release(&configuration->accounts[i]);
	free(configuration->accounts);
	value_list_release(&configuration->trust.authserv_ids);
	free(configuration);
	return NULL;
}
