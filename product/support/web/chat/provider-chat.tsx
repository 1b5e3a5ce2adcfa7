import { Button } from '#platform/ui/controls/button.tsx';
import { runOutsideScript } from '#platform/ui/early/outside-script.ts';
import { Skeleton } from '#platform/ui/surfaces/states.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useState } from 'react';
import ChatPanel from './chat-panel.tsx';

/** The provider of an operator's chat. */
export interface Provider {
  readonly script: string;
  readonly origins: readonly string[];
}

type State = 'asks' | 'loading' | 'open' | 'failed';

/**
 * Loads a provider's chat only when the person asks for it; until then nothing is sent to the provider. If it
 * does not load, the site's own chat replaces it.
 */
export function ProviderChat({ provider: { script } }: { readonly provider: Provider }) {
  const { t } = useTranslation('support');
  const [state, setState] = useState<State>('asks');
  const [isOwn, setOwn] = useState(false);
  const { host } = new URL(script);
  const open = async () => {
    setState('loading');
    setState(await runOutsideScript(script).then(() => 'open' as const, () => 'failed' as const));
  };
  return (
    <div className="flex flex-col gap-4">
      <div role="status">
        {state === 'open' ? <p>{t('chat.provider.open', { host })}</p> : null}
        {state === 'failed' ? <p>{t('chat.provider.failed', { host })}</p> : null}
      </div>
      {state === 'asks'
        ? (
          <>
            <p className="text-sm text-muted">{t('chat.provider.note', { host })}</p>
            <div className="flex flex-wrap gap-3">
              <Button tone="primary" onClick={() => void open()}>{t('chat.provider.load')}</Button>
              {isOwn ? null : <Button onClick={() => setOwn(true)}>{t('chat.provider.own')}</Button>}
            </div>
          </>
        )
        : null}
      {state === 'loading'
        ? (
          <div aria-busy>
            <p className="mb-2 text-sm text-muted">{t('chat.provider.loading')}</p>
            <Skeleton className="h-24" />
          </div>
        )
        : null}
      {state === 'failed'
        ? (
          <div>
            <Button onClick={() => void open()}>{t('chat.provider.again')}</Button>
          </div>
        )
        : null}
      {isOwn || state === 'failed' ? <ChatPanel /> : null}
    </div>
  );
}
