-- Text messages leave the site as emails and push messages do.
alter table notices.deliveries drop constraint deliveries_channel_check;
alter table notices.deliveries add constraint deliveries_channel_check
  check (channel in ('email', 'push', 'sms'));
-- Whom a text message goes to: it is erased with them, whatever number they have by then.
alter table notices.outbox add column person_id bigint;
