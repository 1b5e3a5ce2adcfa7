import { useRead } from '#platform/ui/calls/calls.ts';
import { describedBy } from '#platform/ui/calls/head.ts';
import { read, routeData } from '#platform/ui/calls/route.ts';
import { Button, ButtonLink } from '#platform/ui/controls/button.tsx';
import { Narrow } from '#platform/ui/surfaces/page.tsx';
import { ReadError, Section } from '#platform/ui/surfaces/section.tsx';
import { Skeleton } from '#platform/ui/surfaces/states.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useMe } from '#product/accounts/web/me.ts';
import { lazy, Suspense, useState } from 'react';
import { getChatState, getSupportPhone, showLiveHelp } from '../client.ts';
import { ContactForm } from './contact-form.tsx';

const load = routeData({
  texts: ['support'],
  always: true,
  reads: () => [read(showLiveHelp, {}), read(getChatState, {})],
});
export { load as clientLoader, load as loader };
/** Shown in front of the entry gate too, so that people who cannot pass it may ask why. */
export const handle = { always: true, ...describedBy((language) => language.translator('support')('lead')) };

/** Loaded when somebody starts to chat. */
const ChatPanel = lazy(() => import('./chat/chat-panel.tsx'));

/** /support: chat and the telephone number for people who may use them, the contact form for everybody. */
export default function SupportPage() {
  const { t } = useTranslation('support');
  const isMember = useMe() !== null;
  const chat = useRead(showLiveHelp, {});
  const mayChat = chat.data?.show === true;
  const state = useRead(getChatState, {});
  const number = useRead(getSupportPhone, {}, { enabled: isMember });
  const phone = number.data?.phone ?? null;
  return (
    <Narrow title={t('title')} lead={t('lead')}>
      <div className="flex flex-col gap-6">
        <ReadError read={chat.error ? chat : number} />
        {mayChat ? <ChatSection isOutside={state.data?.provider != null} /> : null}
        {phone === null ? null : (
          <Section anchor="phone" title={t('phone')} lead={t('phoneLead')}>
            <a
              href={`tel:${phone.replaceAll(/[^\d+]/gu, '')}`}
              className="inline-flex min-h-11 items-center text-link underline"
            >
              {phone}
            </a>
          </Section>
        )}
        {mayChat || phone !== null
          ? (
            <Section anchor="message" title={t('write')}>
              <ContactForm />
            </Section>
          )
          : <ContactForm />}
      </div>
    </Narrow>
  );
}

function ChatSection({ isOutside }: { readonly isOutside: boolean }) {
  const { t } = useTranslation('support');
  const [isOpen, setOpen] = useState(false);
  return (
    <Section anchor="chat" title={t('chat.title')} lead={t('chat.lead')}>
      {isOutside
        ? <ButtonLink to="/support/chat" reloadDocument tone="primary">{t('chat.start')}</ButtonLink>
        : isOpen
        ? (
          <Suspense fallback={<Skeleton className="h-40" />}>
            <ChatPanel />
          </Suspense>
        )
        : <Button tone="primary" onClick={() => setOpen(true)}>{t('chat.start')}</Button>}
    </Section>
  );
}
