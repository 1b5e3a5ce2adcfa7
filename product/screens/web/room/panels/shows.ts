import type { Connection } from '../../../../../platform/contract/sockets/socket-client.ts';
import { notEnoughTokens } from '../../../../ledger/client.ts';
import { useShowNews } from '../../../../rooms/web/show-news.ts';
import { useOpenPrompt } from '../../shell/money-prompts.tsx';

/** Shows of a room as this viewer hears of them; one that fails for want of tokens offers some. */
export function useShows(connection: Connection | null): void {
  const openPrompt = useOpenPrompt();
  useShowNews(connection, ({ errorType }) => {
    if (errorType === notEnoughTokens.code) openPrompt('low_tokens');
  });
}
