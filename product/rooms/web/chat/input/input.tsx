import { SendHorizontal, Settings2, Smile, X } from 'lucide-react';
import { useId, useRef, type FormEvent, type KeyboardEvent, type ReactNode } from 'react';
import { Button, IconButton } from '../../../../../platform/ui/controls/button.tsx';
import { useTranslation } from '../../../../../platform/ui/text/use-translation.ts';
import { MAX_CHAT_MESSAGE_LENGTH } from '../../../rules.ts';
import { useCompletion, type Completion } from './use-completion.ts';
import type { Draft } from './use-draft.ts';

export type ChatPanel = 'settings' | 'emoji' | null;

interface ChatInputProps {
  readonly draft: Draft;
  readonly guest: boolean;
  /** The socket is joined; until then what was typed waits. */
  readonly joined: boolean;
  /** Why nothing can be said now, or null. */
  readonly barred: string | null;
  /** What stands under the field: who may write here, how long to wait, what waits for a moderator. */
  readonly notes: ReactNode;
  /** Usernames to offer after an `@`, the likeliest first; asked when one is begun. */
  readonly people: () => readonly string[];
  readonly panel: ChatPanel;
  readonly onPanel: (panel: ChatPanel) => void;
  readonly onSend: () => void;
  readonly onLogin: () => void;
}

/** One line to say something, with names and emoji offered while one types; guests are asked to log in. */
export function ChatInput(props: ChatInputProps) {
  const { draft, guest, notes, panel, onPanel, onSend, onLogin } = props;
  const { t } = useTranslation('rooms');
  if (guest) {
    return (
      <div className="flex items-center gap-1 p-2">
        <div className="min-w-0 grow"><Button wide onClick={onLogin}>{t('loginToChat')}</Button></div>
        <PanelButton kind="settings" panel={panel} onPanel={onPanel} />
      </div>
    );
  }
  const send = (event: FormEvent) => {
    event.preventDefault();
    onSend();
  };
  return (
    <form onSubmit={send} className="p-2">
      {draft.replyTo ? <Reply draft={draft} /> : null}
      <div className="flex items-center">
        <PanelButton kind="settings" panel={panel} onPanel={onPanel} />
        <Field {...props} />
        {/* Pressed without a room, or while one has to wait, it says so: what was typed stays. */}
        <IconButton type="submit" label={t('say')} disabled={draft.text.trim() === ''}>
          <SendHorizontal size={20} aria-hidden />
        </IconButton>
      </div>
      {notes}
    </form>
  );
}

function Field({ draft, joined, barred, people, panel, onPanel }: ChatInputProps) {
  const { t } = useTranslation('rooms');
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const offer = useCompletion(input, draft, people);
  const onKeyDown = (press: KeyboardEvent) => {
    if (offer.onKey(press.key)) press.preventDefault();
    else if (press.key === 'Escape' && draft.replyTo) draft.answer(null);
  };
  return (
    <div className="relative flex min-w-0 grow items-center">
      <Offers id={id} offer={offer} />
      <input
        ref={(element) => {
          input.current = element;
          draft.field(element);
        }}
        value={draft.text}
        onChange={(change) => draft.write(change.target.value)}
        onSelect={offer.look}
        onBlur={offer.close}
        onKeyDown={onKeyDown}
        maxLength={MAX_CHAT_MESSAGE_LENGTH}
        aria-label={t('message')}
        placeholder={barred ?? (joined ? t('placeholder') : t('reconnecting'))}
        autoComplete="off" enterKeyHint="send"
        aria-autocomplete="list" aria-haspopup="listbox"
        aria-controls={offer.items.length > 0 ? id : undefined}
        aria-activedescendant={offer.items.length > 0 ? `${id}-${offer.active}` : undefined}
        aria-describedby="chat-notes"
        className="min-h-11 w-full min-w-0 rounded-control border border-field bg-surface pr-11 pl-3 text-base
          placeholder:text-muted"
      />
      <div className="absolute right-0">
        <PanelButton kind="emoji" panel={panel} onPanel={onPanel} />
      </div>
    </div>
  );
}

/** What is offered for the word at the caret; keys choose in it while the focus stays in the field. */
function Offers({ id, offer }: { id: string; offer: Completion }) {
  const { t } = useTranslation('rooms');
  if (offer.items.length === 0) return null;
  return (
    <div id={id} role="listbox" aria-label={t('chat.offers')}
      className="absolute inset-x-0 bottom-full z-40 mb-1 rounded-card border border-line bg-raised p-1
        shadow-float">
      {offer.items.map((item, at) => (
        <div
          key={item.insert} tabIndex={-1} id={`${id}-${at}`} role="option" aria-selected={at === offer.active}
          // Pressing it leaves the focus, and with it the caret, in the field.
          onPointerDown={(press) => {
            press.preventDefault();
            offer.take(at);
          }}
          className="flex min-h-11 cursor-pointer items-center gap-2 rounded-control px-3 text-sm
            aria-selected:bg-line">
          {item.sign ? <span aria-hidden className="text-lg">{item.sign}</span> : null}
          <span className="truncate">{item.text}</span>
        </div>
      ))}
    </div>
  );
}

/** The message that is answered, and a way to answer none. */
function Reply({ draft }: { draft: Draft }) {
  const { t } = useTranslation('rooms');
  if (!draft.replyTo) return null;
  const { display_name: name, message } = draft.replyTo;
  return (
    <div className="flex items-center gap-2 pl-3 text-sm text-muted">
      <p className="min-w-0 grow truncate border-l-2 border-blue pl-2">
        <span className="font-medium text-text">{t('chat.replyTo', { name })}</span> {message}
      </p>
      <IconButton label={t('chat.noReply')} onClick={() => draft.answer(null)}>
        <X size={16} aria-hidden />
      </IconButton>
    </div>
  );
}

const PANELS = { settings: Settings2, emoji: Smile } as const;

function PanelButton({ kind, panel, onPanel }: {
  kind: keyof typeof PANELS; panel: ChatPanel; onPanel: (panel: ChatPanel) => void;
}) {
  const { t } = useTranslation('rooms');
  const Icon = PANELS[kind];
  return (
    <IconButton label={t(`chat.open.${kind}`)} aria-expanded={panel === kind}
      onClick={() => onPanel(panel === kind ? null : kind)}>
      <Icon size={20} aria-hidden />
    </IconButton>
  );
}
