import { QueryClientProvider, type QueryClient } from '@tanstack/react-query';
import type { i18n } from 'i18next';
import type { ReactNode } from 'react';
import { I18nextProvider } from 'react-i18next';
import type { CallFunction } from '../../../platform/contract/client.ts';
import { CallProvider } from '../../../platform/ui/calls/calls.ts';
import type { TextSource } from '../../../platform/ui/text/language.ts';
import { TextSourceProvider } from '../../../platform/ui/text/use-texts.ts';
import { FrameProvider, type DocumentFrame } from './page-state.ts';

interface ProvidersProps {
  readonly frame: DocumentFrame;
  readonly cache: QueryClient;
  readonly call: CallFunction;
  readonly language: i18n;
  /** Where texts come from that the document did not carry; the server has all. */
  readonly source?: TextSource;
  readonly children: ReactNode;
}

const none: TextSource = async () => ({});

/** What every component can ask for, around the router on the server and in the browser. */
export function Providers({ frame, cache, call, language, source = none, children }: ProvidersProps) {
  return (
    <FrameProvider value={frame}>
      <CallProvider value={call}>
        <QueryClientProvider client={cache}>
          <I18nextProvider i18n={language}>
            <TextSourceProvider value={source}>{children}</TextSourceProvider>
          </I18nextProvider>
        </QueryClientProvider>
      </CallProvider>
    </FrameProvider>
  );
}
