import { keyOf } from '#platform/text/message-keys.ts';
import { useTranslation } from '#platform/ui/text/use-translation.ts';

/** The name of a kind of operation; a kind without a text shows its own identifier. */
export function useKindText(): (kind: string) => string {
  const { t } = useTranslation('ledger');
  return (kind) => {
    const key = keyOf('ledger', 'web.kinds', kind);
    const text = t(key);
    return text === key ? kind.replaceAll('_', ' ') : text;
  };
}
