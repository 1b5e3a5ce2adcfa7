import { keyOf } from '#platform/text/message-keys.ts';
import { useTranslation } from '#platform/ui/text/use-translation.ts';

/** What a kind of operation is called; one that has no text yet shows its own name. */
export function useKindText(): (kind: string) => string {
  const { t } = useTranslation('ledger');
  return (kind) => {
    const key = keyOf('ledger', 'web.kinds', kind);
    const text = t(key);
    return text === key ? kind.replaceAll('_', ' ') : text;
  };
}
