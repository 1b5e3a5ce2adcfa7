import { SendHorizontal } from 'lucide-react';
import { useState, type FormEvent } from 'react';
import { useTranslation } from '../../../platform/ui/text/use-translation.ts';
import { Button, IconButton } from '../../../platform/ui/controls/button.tsx';
import { MAX_CHAT_MESSAGE_LENGTH } from '../rules.ts';

interface ChatInputProps {
  readonly guest: boolean;
  /** The socket is joined; until then what was typed waits. */
  readonly joined: boolean;
  /** A refusal of the last message, shown under the field until the next one. */
  readonly refused: string | null;
  /** Answers whether it went out. */
  readonly onSay: (message: string) => boolean;
  readonly onLogin: () => void;
}

/** One line to say something; guests are asked to log in. */
export function ChatInput({ guest, joined, refused, onSay, onLogin }: ChatInputProps) {
  const { t } = useTranslation('rooms');
  const [text, setText] = useState('');
  if (guest) {
    return <div className="p-3"><Button wide onClick={onLogin}>{t('loginToChat')}</Button></div>;
  }
  const say = (event: FormEvent) => {
    event.preventDefault();
    const message = text.trim();
    if (message !== '' && joined && onSay(message)) setText('');
  };
  return (
    <form onSubmit={say} className="border-t border-line p-2">
      <div className="flex items-center gap-1">
        <input
          value={text}
          onChange={(change) => setText(change.target.value)}
          maxLength={MAX_CHAT_MESSAGE_LENGTH}
          aria-label={t('message')}
          placeholder={joined ? t('placeholder') : t('reconnecting')}
          autoComplete="off"
          enterKeyHint="send"
          aria-describedby={refused ? 'chat-refused' : undefined}
          className="min-h-11 w-full min-w-0 rounded-control border border-field bg-surface px-3 text-base"
        />
        <IconButton type="submit" label={t('say')} disabled={!joined || text.trim() === ''}>
          <SendHorizontal size={20} aria-hidden />
        </IconButton>
      </div>
      {refused ? (
        <p id="chat-refused" role="alert" className="px-1 pt-1 text-sm text-danger-text">
          {refused}
        </p>
      ) : null}
    </form>
  );
}
