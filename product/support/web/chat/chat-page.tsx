import { queryKeyOf, useRead } from '#platform/ui/calls/calls.ts';
import { pageTools, read, routeData } from '#platform/ui/calls/route.ts';
import { ButtonLink } from '#platform/ui/controls/button.tsx';
import { Narrow } from '#platform/ui/surfaces/page.tsx';
import { Loaded } from '#platform/ui/surfaces/section.tsx';
import { EmptyState } from '#platform/ui/surfaces/states.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import type { QueryClient } from '@tanstack/react-query';
import { redirectDocument } from 'react-router';
import { getChatState } from '../../client.ts';
import ChatPanel from './chat-panel.tsx';
import { ProviderChat, type Provider } from './provider-chat.tsx';

const load = routeData({ texts: ['support'], always: true, reads: () => [read(getChatState, {})] });
export { load as loader };

const providerIn = (cache: QueryClient): Provider | null =>
  cache.getQueryData<{ readonly provider: Provider | null }>(queryKeyOf(getChatState, {}))?.provider ?? null;

/** With a provider the page has its own content security policy, and so needs its own document. */
export const clientLoader = async (args: Parameters<typeof load>[0]): Promise<null> => {
  await load(args);
  if (providerIn(args.context.get(pageTools).cache)) throw redirectDocument(args.request.url);
  return null;
};
export const handle = {
  always: true,
  policy: (cache: QueryClient) => {
    const provider = providerIn(cache);
    return provider ? { providers: [new URL(provider.script).origin, ...provider.origins] } : {};
  },
};

/** /support/chat: the chat of the operator's provider, or the site's own. */
export default function ChatPage() {
  const { t } = useTranslation('support');
  const state = useRead(getChatState, {});
  const write = <ButtonLink to="/support">{t('chat.write')}</ButtonLink>;
  return (
    <Narrow title={t('chat.title')} lead={t('chat.lead')}>
      <Loaded read={state} height="h-40">
        {({ show, provider }) => (!show
          ? <EmptyState text={t('chat.closed')} action={write} />
          : provider
          ? <ProviderChat provider={provider} />
          : <ChatPanel />)}
      </Loaded>
    </Narrow>
  );
}
