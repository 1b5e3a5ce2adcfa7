import { Button } from '#platform/ui/controls/button.tsx';
import { TextArea } from '#platform/ui/controls/fields.tsx';
import type { Form } from '#platform/ui/forms/form.ts';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { RelativeTime } from '#platform/ui/text/amounts.tsx';
import { StaffBadge } from '#platform/ui/text/person-name.tsx';
import { Typed } from '#platform/ui/text/typed.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useEffect, useRef, type KeyboardEvent } from 'react';
import type { ChatMessageView } from '../../contract/chat.ts';
import { MAX_CHAT_LENGTH } from '../../rules.ts';

interface MessagesProps {
  readonly messages: readonly ChatMessageView[];
  /** The person who writes to support; null for the reader. */
  readonly username: string | null;
}

/** Messages, oldest first; scrolls to the newest. */
export function Messages({ messages, username }: MessagesProps) {
  const { t } = useTranslation('support');
  const log = useRef<HTMLDivElement>(null);
  useEffect(() => {
    log.current?.scrollTo({ top: log.current.scrollHeight });
  }, [messages.length]);
  const mine = username !== null;
  return (
    <div
      ref={log}
      role="log"
      aria-label={t('chat.messages')}
      tabIndex={0}
      className="max-h-80 overflow-y-auto"
    >
      <ul className="flex flex-col gap-2">
        {messages.map(({ id, text, from_support: isAnswer, at }) => (
          <li
            key={id}
            className={`max-w-[85%] rounded-card px-3 py-2 ${
              isAnswer === mine
                ? 'self-end bg-raised'
                : 'self-start border border-line'
            }`}
          >
            <p className="flex flex-wrap justify-between gap-x-4 text-xs text-muted">
              <span>
                {isAnswer
                  ? (
                    <>
                      <StaffBadge />
                      {t('chat.support')}
                    </>
                  )
                  : username ?? t('chat.you')}
              </span>
              <RelativeTime at={at} />
            </p>
            <p className="wrap-anywhere whitespace-pre-wrap">
              <Typed>{text}</Typed>
            </p>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Empties the field after a message was sent. */
export const clear = ({ props: { ref } }: Pick<Form, 'props'>): void => ref.current?.reset();

interface ComposerProps {
  readonly label: string;
  /** A form with the field `text`. */
  readonly form: Form;
}

/** Enter sends; Shift with Enter starts a new line. */
export function Composer({ label, form }: ComposerProps) {
  const { t } = useTranslation('support');
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.key !== 'Enter' || event.shiftKey) return;
    event.preventDefault();
    event.currentTarget.form?.requestSubmit();
  };
  return (
    <form {...form.props} data-foot className="flex flex-col gap-3">
      <TextArea
        {...form.field('text')}
        label={label}
        rows={2}
        maxLength={MAX_CHAT_LENGTH}
        required
        onKeyDown={onKeyDown}
      />
      <FormError problem={form.problem} />
      <div>
        <Button type="submit" busy={form.busy}>{t('chat.send')}</Button>
      </div>
    </form>
  );
}
