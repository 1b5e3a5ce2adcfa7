import type { MenuItem } from '#platform/ui/controls/popups/menu-popup.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useCallback, useMemo, useState } from 'react';
import type { ChatMessageView } from '../../../contract.ts';

/**
 * Translates a message from another language. Returns null when it cannot.
 * @param language target language, as a BCP 47 tag
 */
export type Translator = (message: ChatMessageView, language: string) => Promise<string | null>;

/** Translations stored on the page; as many as a chat has messages. */
const MAX_TRANSLATIONS = 200;

interface Translating {
  readonly translations: ReadonlyMap<number, string>;
  /** Null without a translator: no translation is offered. */
  readonly itemOf: ((message: ChatMessageView) => readonly MenuItem[]) | null;
}

/** Whether to offer a translation: the message was written in another known language. */
export function isForeign(
  { type, message, user_language: written }: ChatMessageView,
  language: string,
): boolean {
  if (type === 'notice' || message === '' || written === null) return false;
  return written.split('-')[0] !== language.split('-')[0];
}

export function useTranslator(translator: Translator | null): Translating {
  const { t, i18n } = useTranslation('rooms');
  const { language } = i18n;
  const [translations, setTranslations] = useState<ReadonlyMap<number, string>>(() => new Map());
  const translate = useCallback(async (message: ChatMessageView) => {
    const text = await translator?.(message, language).catch(() => null);
    const shown = text ?? t('chat.noTranslation');
    setTranslations((known) => new Map([...known, [message.id, shown] as const].slice(-MAX_TRANSLATIONS)));
  }, [language, t, translator]);
  const itemOf = useMemo(() => {
    if (!translator) return null;
    return (message: ChatMessageView): readonly MenuItem[] => (isForeign(message, language)
      ? [{ key: 'translate', text: t('chat.translate'), onChoose: () => void translate(message) }]
      : []);
  }, [language, t, translate, translator]);
  return { translations, itemOf };
}
