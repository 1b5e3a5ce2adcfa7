import type { CallFunction } from '#platform/contract/client.ts';
import { CallBaseProvider, CallProvider } from '#platform/ui/calls/calls.ts';
import { LiveStore, LiveStoreProvider } from '#platform/ui/calls/live-state.ts';
import { ControlsLocale } from '#platform/ui/controls/locale.tsx';
import { MarkupProvider, type MarkupOf } from '#platform/ui/made-once.tsx';
import type { Language, TextSource } from '#platform/ui/text/language.ts';
import { LanguageProvider } from '#platform/ui/text/use-translation.ts';
import { ServerClockProvider, type ServerClock } from '#platform/ui/time/server-clock.ts';
import { QueryClientProvider, type QueryClient } from '@tanstack/react-query';
import { useMemo, useState, type ReactNode } from 'react';
import { FrameProvider, type DocumentFrame } from './document/page-state.ts';

interface ProvidersProps {
  readonly frame: DocumentFrame;
  readonly cache: QueryClient;
  readonly clock: ServerClock;
  readonly call: CallFunction;
  /** The path under which the site answers calls. */
  readonly apiBase: string;
  readonly language: Language;
  /** What the server renders documents with; a browser has none. */
  readonly markupOf?: MarkupOf;
  /** Where texts come from that are not in the document; the server has all. */
  readonly source?: TextSource;
  readonly children: ReactNode;
}

const none: TextSource = async () => ({});

/** Context for every component, around the router on the server and in the browser. */
export function Providers(
  { frame, cache, clock, call, apiBase, language, markupOf, source = none, children }: ProvidersProps,
) {
  const spoken = useMemo(() => ({ language, source }), [language, source]);
  const [live] = useState(() => new LiveStore());
  return (
    <FrameProvider value={frame}>
      <CallProvider value={call}>
        <CallBaseProvider value={apiBase}>
          <QueryClientProvider client={cache}>
            <ServerClockProvider value={clock}>
              <LiveStoreProvider value={live}>
                {/* Always given: after a document that waited, React's server leaves contexts set. */}
                <MarkupProvider value={markupOf ?? null}>
                  <LanguageProvider value={spoken}>
                    <ControlsLocale>{children}</ControlsLocale>
                  </LanguageProvider>
                </MarkupProvider>
              </LiveStoreProvider>
            </ServerClockProvider>
          </QueryClientProvider>
        </CallBaseProvider>
      </CallProvider>
    </FrameProvider>
  );
}
