import { Button, IconButton } from '#platform/ui/controls/button.tsx';
import type {
  ActiveSuggestion,
  Suggestion,
  SuggestionKeys,
} from '#platform/ui/controls/popups/suggestions.tsx';
import { Extra } from '#platform/ui/faults/crash-boundary.tsx';
import { Typed } from '#platform/ui/text/typed.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { SendHorizontal, Settings2, Smile, X } from 'lucide-react';
import { lazy, useMemo, useRef, useState, type FormEvent, type KeyboardEvent, type ReactNode } from 'react';
import { MAX_CHAT_MESSAGE_LENGTH } from '../../../rules.ts';
import { useCompletion, type Completion } from './use-completion.ts';
import type { Draft } from './use-draft.ts';

export type ChatPanel = 'settings' | 'emoji' | null;

interface ChatInputProps {
  readonly draft: Draft;
  readonly guest: boolean;
  /** The room is joined; until then nothing can be sent. */
  readonly joined: boolean;
  /** Why nothing can be sent now, or null. */
  readonly barred: string | null;
  /** Rendered under the field: who may write, how long to wait, held messages. */
  readonly notes: ReactNode;
  /** Usernames to offer after an `@`, likeliest first; called when a mention is started. */
  readonly people: () => readonly string[];
  /** Placeholder of the empty field; null for the usual one. */
  readonly placeholder: string | null;
  readonly panel: ChatPanel;
  readonly onPanel: (panel: ChatPanel) => void;
  readonly onSend: () => void;
  readonly onLogin: () => void;
}

/** The input, with names and emoji offered while typing; guests are asked to log in. */
export function ChatInput(props: ChatInputProps) {
  const { draft, guest, notes, panel, onPanel, onSend, onLogin } = props;
  const { t } = useTranslation('rooms');
  if (guest) {
    return (
      <div className="flex items-center gap-1 p-2">
        <div className="min-w-0 grow">
          <Button wide onClick={onLogin}>{t('loginToChat')}</Button>
        </div>
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
        {/* A click while nothing can be sent shows the reason; the text stays. */}
        <IconButton type="submit" label={t('say')} disabled={draft.text.trim() === ''}>
          <SendHorizontal size={20} aria-hidden />
        </IconButton>
      </div>
      {notes}
    </form>
  );
}

/** Fetched when somebody starts to write: most people only watch. */
const loadSuggestions = () => import('#platform/ui/controls/popups/suggestions.tsx');
const Suggestions = lazy(async () => ({ default: (await loadSuggestions()).Suggestions }));

function Field({ draft, joined, barred, people, placeholder, panel, onPanel }: ChatInputProps) {
  const { t } = useTranslation('rooms');
  const input = useRef<HTMLInputElement>(null);
  const completion = useCompletion(input, draft, people);
  const keys = useRef<SuggestionKeys>(null);
  const [active, setActive] = useState<ActiveSuggestion | null>(null);
  const onKeyDown = (press: KeyboardEvent) => {
    if (keys.current?.take(press.key)) press.preventDefault();
    else if (press.key === 'Escape' && draft.replyTo) draft.answer(null);
  };
  const items = useMemo(() => completion.items.map(itemOf), [completion.items]);
  return (
    <div className="relative flex min-w-0 grow items-center">
      {items.length === 0 ? null : (
        <Extra>
          <Suggestions
            keys={keys}
            label={t('chat.offers')}
            items={items}
            onTake={completion.take}
            onActive={setActive}
            onClose={completion.close}
          />
        </Extra>
      )}
      <input
        ref={(element) => {
          input.current = element;
          draft.field(element);
        }}
        value={draft.text}
        onChange={(change) => draft.write(change.target.value)}
        onSelect={completion.look}
        onFocus={() => void loadSuggestions()}
        // The suggestions dispatch synthetic blur events while the focus stays in the field.
        onBlur={({ nativeEvent }) => (nativeEvent.isTrusted ? completion.close() : undefined)}
        onKeyDown={onKeyDown}
        maxLength={MAX_CHAT_MESSAGE_LENGTH}
        aria-label={t('message')}
        // The reason why nobody may write now is shown in full below: in the field a phone would cut it off.
        placeholder={!joined
          ? t('reconnecting')
          : barred === null
          ? placeholder ?? t('placeholder')
          : undefined}
        autoComplete="off"
        enterKeyHint="send"
        aria-autocomplete="list"
        aria-haspopup="listbox"
        aria-controls={active?.list}
        aria-activedescendant={active?.option}
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

const itemOf = ({ insert, text, sign }: Completion['items'][number]): Suggestion => ({
  key: insert,
  text,
  content: (
    <>
      {sign ? <span aria-hidden className="text-lg">{sign}</span> : null}
      <span className="truncate">{text}</span>
    </>
  ),
});

/** The quoted message, and a button to remove it. */
function Reply({ draft }: { draft: Draft }) {
  const { t } = useTranslation('rooms');
  if (!draft.replyTo) return null;
  const { display_name: name, message } = draft.replyTo;
  return (
    <div className="flex items-center gap-2 pl-3 text-sm text-muted">
      <p className="min-w-0 grow truncate border-l-2 border-blue pl-2">
        <span className="font-medium text-text">{t('chat.replyTo', { name })}</span> <Typed>{message}</Typed>
      </p>
      <IconButton label={t('chat.noReply')} onClick={() => draft.answer(null)}>
        <X size={16} aria-hidden />
      </IconButton>
    </div>
  );
}

const PANELS = { settings: Settings2, emoji: Smile } as const;

function PanelButton({ kind, panel, onPanel }: {
  kind: keyof typeof PANELS;
  panel: ChatPanel;
  onPanel: (panel: ChatPanel) => void;
}) {
  const { t } = useTranslation('rooms');
  const Icon = PANELS[kind];
  return (
    <IconButton
      label={t(`chat.open.${kind}`)}
      aria-expanded={panel === kind}
      onClick={() => onPanel(panel === kind ? null : kind)}
    >
      <Icon size={20} aria-hidden />
    </IconButton>
  );
}
