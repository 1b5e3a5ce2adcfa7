import type { OutputOf } from '#platform/contract/call.ts';
import { keyOf } from '#platform/text/message-keys.ts';
import { problemOf, queryKeyOf, useAction, useCache } from '#platform/ui/calls/calls.ts';
import { useReadPages } from '#platform/ui/calls/pages.ts';
import { readPages, routeData } from '#platform/ui/calls/route.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { Checkbox } from '#platform/ui/controls/fields.tsx';
import { MorePages } from '#platform/ui/controls/lists/more-pages.tsx';
import { Card } from '#platform/ui/surfaces/card.tsx';
import { Wide } from '#platform/ui/surfaces/page.tsx';
import { Section } from '#platform/ui/surfaces/section.tsx';
import { EmptyState, ErrorState, FormError, Skeleton } from '#platform/ui/surfaces/states.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { RelativeTime } from '#platform/ui/text/amounts.tsx';
import { Typed } from '#platform/ui/text/typed.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useState } from 'react';
import { closeRequest, listConversations, listRequests } from '../client.ts';
import { Conversations } from './chat/conversations.tsx';
import { PhoneForm } from './phone-form.tsx';

type Request = OutputOf<typeof listRequests>['requests'][number];

const wanted = {
  texts: ['support'],
  always: true,
  member: true,
  reads: () => [readPages(listRequests, {}), readPages(listConversations, {})],
};
export const loader = routeData(wanted);
export const clientLoader = routeData(wanted);
export const handle = { always: true };

/** For admins: conversations, requests from the contact form, and who sees the telephone number. */
export default function RequestsPage() {
  const { t } = useTranslation('support');
  return (
    <Wide title={t('admin.title')} lead={t('admin.lead')}>
      <div className="flex flex-col gap-6">
        <Section anchor="chats" title={t('admin.chats')} lead={t('admin.chatsLead')}>
          <Conversations />
        </Section>
        <Section anchor="requests" title={t('admin.requests')} lead={t('admin.requestsLead')}>
          <Requests />
        </Section>
        <Section anchor="phone" title={t('admin.phone')} lead={t('admin.phoneLead')}>
          <PhoneForm />
        </Section>
      </div>
    </Wide>
  );
}

/** Requests from the contact form, open ones first. */
function Requests() {
  const { t } = useTranslation('support');
  const [closed, setClosed] = useState(false);
  const read = useReadPages(listRequests, closed ? { closed } : {});
  const { data, error, refetch } = read;
  const requests = data?.pages.flatMap((page) => page.requests);
  return (
    <>
      <Checkbox
        label={t('admin.closed')}
        checked={closed}
        onChange={({ target }) => setClosed(target.checked)}
      />
      {error && !requests
        ? <ErrorState problem={problemOf(error)} onRetry={() => void refetch()} />
        : !requests
        ? <Skeleton className="h-64" />
        : requests.length === 0
        ? <EmptyState text={t(closed ? 'admin.emptyClosed' : 'admin.empty')} />
        : (
          <ul className="mt-4 flex flex-col gap-3">
            {requests.map((request) => (
              <li key={request.id}>
                <OneRequest request={request} />
              </li>
            ))}
          </ul>
        )}
      <MorePages read={read} className="py-4" />
    </>
  );
}

function OneRequest({ request }: { readonly request: Request }) {
  const { t } = useTranslation('support');
  const { id, topic, message, username, email, at, closed_at: closedAt } = request;
  const cache = useCache();
  const toast = useToast();
  const { run, busy, problem } = useAction(closeRequest);
  const close = async () => {
    if (!(await run({ id }))) return;
    toast(t('admin.done'), 'success');
    await cache.invalidateQueries({ queryKey: queryKeyOf(listRequests) });
  };
  return (
    <Card className="flex flex-col gap-3 p-4">
      <div className="flex flex-wrap justify-between gap-x-4 text-sm text-muted">
        <span>{username ?? t('admin.guest')} · {t(keyOf('support', 'topics', topic))}</span>
        <RelativeTime at={at} />
      </div>
      <p className="max-w-prose wrap-anywhere whitespace-pre-wrap">
        <Typed>{message}</Typed>
      </p>
      <div className="flex flex-wrap items-center gap-3">
        <a
          href={`mailto:${encodeURIComponent(email)}`}
          className="inline-flex min-h-11 items-center text-link underline"
        >
          {t('admin.answer')}
        </a>
        {closedAt === null
          ? <Button busy={busy} onClick={() => void close()}>{t('admin.close', { id })}</Button>
          : null}
      </div>
      <FormError problem={problem} />
    </Card>
  );
}
