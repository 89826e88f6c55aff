/*
 * The events of the log: a word in ZUGPOST_EVENT and its MESSAGE_ID, which never change once
 * they are released. What an administrator should know of each is in systemd/zugpost.catalog.
 */
#pragma once

/* clang-format off */
#define LOG_EVENTS(EVENT) \
	EVENT("started", "9a3237713b605414b6cc5621c83fcc5f") \
	EVENT("stopping", "c3ccb26c4edb5cb788fda5e96f3d1755") \
	EVENT("reloaded", "bfb3d488cc4a585893ab42d63a1ed3e2") \
	EVENT("reload-refused", "be3b975825d45b8bb141a18119a21a58") \
	EVENT("start-failed", "65c9ea2e51c551ea83e000333a471946") \
	EVENT("store-failed", "8258a9d2dfb75433aea236aaf15ae6d6") \
	EVENT("migrating", "d4cd2f7795e648edbbf1f71edc05701e") \
	EVENT("was-down", "ccf0be25e49d53c18bd25671ed227a59") \
	EVENT("paused", "3df3d457101156f6b1f64f6573ad215c") \
	EVENT("resumed", "6b58904be2e450cf8aeee8b21585322f") \
	EVENT("message", "b6e6b775770d54159432f9644deb1e60") \
	EVENT("set-aside", "c7a4d661816550dbbd89bc9e0cb7c458") \
	EVENT("reader-lost", "5b692ce3224d58c8b3c3b42a77d96784") \
	EVENT("unconfirmed", "335a85430ff35ffa840245fa846d5a1c") \
	EVENT("bounce", "8f2738abe8165469bd4bf1220b29bcef") \
	EVENT("mailbox-down", "13fba2ad21a8522eb43f8eb703cf6b3b") \
	EVENT("mailbox-up", "3f2deb15b2465cc7b58d6138a4d7b4ec") \
	EVENT("mailbox-notice", "9b0a54260ade5d97855f66bf59ee3cdc") \
	EVENT("worker-failed", "9cfd341f8184590abac6d08990426191") \
	EVENT("target-down", "3d93d7257a395e3a935e1ac945843dd7") \
	EVENT("target-up", "177024eb0bf55db28e706270aee0e0f0") \
	EVENT("target-pause", "ed2ac385bc39595e8e5a6e67db4c5221") \
	EVENT("undeliverable", "09eea354b526561198cf931a7990de46") \
	EVENT("put-off", "ce298abeddb1543db0e8fc328b8c80ce") \
	EVENT("alert", "f63970fc11795aa28635331d08d82fde") \
	EVENT("disk-full", "dba62495c9cd5ae8b38b9e936f0d8ec0") \
	EVENT("clock-back", "e4b5451bb1055d09a03a95823796e434") \
	EVENT("remind", "4b5c75f622a857f284423e6aa112480c") \
	EVENT("repeat", "6456ec3e6fab5ef0ae00304ec3845b35") \
	EVENT("silence", "f6199905ceb654f1967d2623ff6dd98f") \
	EVENT("report", "590d2a4ce3e05941b727fa5300b29d4f") \
	EVENT("overstep", "cb261ee6b78e59769c947b6aad4ab0d0") \
	EVENT("stop-start", "d4d9f751d87f518e9dca23ce1ac01ce4") \
	EVENT("stop-end", "c9415e1123185816a346d79a508db282") \
	EVENT("copies", "89b765ee71325af0bbb152c657c69977") \
	EVENT("leave-end", "4df6f0c8f3005c1fbcca30d1e07086a6") \
	EVENT("objection", "7ae75368dc895bb0b3769b11d864662d") \
	EVENT("papers", "eb216c9a5354554a863eb7a574493559") \
	EVENT("access", "fb0f99579b0551e48b141389b45857b1") \
	EVENT("event-end", "557af4fd32735e26ac39ebab5ffcdbfd")
/* clang-format on */
