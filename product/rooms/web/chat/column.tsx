import { useLiveStore } from '#platform/ui/calls/live-state.ts';
import type { MenuItem } from '#platform/ui/controls/popups/menu-popup.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { AtSign, Languages, Reply } from 'lucide-react';
import { lazy, Suspense, useCallback, useEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import type { ChatMessageView } from '../../contract.ts';
import { isAnonymous } from '../../rules.ts';
import { pageRooms, type RoomLink } from '../live.ts';
import { ChatInput, type ChatPanel } from './input/input.tsx';
import { SpeechNotes, useSpeech, type SpeechRules } from './input/speech.tsx';
import { useDraft, type Draft } from './input/use-draft.ts';
import { useSend } from './input/use-send.ts';
import { useHighlights } from './list/highlight.ts';
import { ChatList } from './list/list.tsx';
import { useTranslator, type Translator } from './list/translator.ts';
import { useChatSettings } from './settings/settings.ts';
import { useChatSounds } from './settings/use-sounds.ts';
import { ShowChatHead, usePlaceholder, useShownChat, useSpeechIn } from './show-chat.tsx';

/** Fetched when first opened. */
const EmojiPanel = lazy(() => import('./input/emoji-panel.tsx'));
const SettingsPanel = lazy(() => import('./settings/settings-panel.tsx'));
const HighlightAlert = lazy(() => import('./list/highlight-alert.tsx'));

export interface ChatColumnProps {
  readonly link: RoomLink;
  /** Username of this viewer, lower case; null for a guest. */
  readonly me: string | null;
  /** The performer's display name; their username if that is unknown. */
  readonly name?: string;
  /** Text of a chat without messages. */
  readonly empty: string;
  /** Who may write and how often; null while unknown: only the server decides then. */
  readonly speech?: SpeechRules | null;
  /**
   * More actions on a message, in the chat of a show or (null) the room's; must be the same while unchanged.
   */
  readonly actions?: ((message: ChatMessageView, show: string | null) => readonly MenuItem[]) | undefined;
  /** Opens the card of a sender; without it there are no cards. */
  readonly onPerson?: ((message: ChatMessageView) => void) | null;
  /** Usernames of people whom this viewer ignores: their lines are collapsed. */
  readonly ignored?: ReadonlySet<string>;
  /** Shown under lines of the room's chat, by message id. */
  readonly lineActions?: ReadonlyMap<number, ReactNode>;
  /** Translates messages; without one no translation is offered. */
  readonly translator?: Translator | null;
  /** A person to mention, chosen elsewhere on the page; a new object mentions again. */
  readonly call?: { readonly username: string } | null;
  readonly onLogin: () => void;
}

/** The chat of a room: messages, input and settings. Fills a column of any height. */
export function ChatColumn(props: ChatColumnProps) {
  const { link, me, empty, onLogin, onPerson = null } = props;
  const { t } = useTranslation('rooms');
  const { settings, change } = useChatSettings();
  const ignored = useMemo(() => props.ignored ?? new Set<string>(), [props.ignored]);
  const reader = { ignored, room: link.username, me };
  const { volume, setVolume } = useChatSounds(link.connection, reader, settings, change);
  const [panel, setPanel] = useState<ChatPanel>(null);
  const draft = useDraft();
  useCalled(draft, props.call ?? null);
  const shown = useShownChat(link.username);
  const { isPublic, key } = shown;
  const speech = useSpeechIn(shown, useSpeech(props.speech ?? null, me !== null));
  const sending = useSend(link, draft, speech, { me, hasEmoticons: settings.hasEmoticons, shown });
  const placeholder = usePlaceholder(shown);
  useOwnReplies(draft, key);
  const translator = useTranslator(isPublic ? props.translator ?? null : null);
  // Translations and line actions belong to the room, by ids that messages of a show may have, too.
  const none = useMemo(() => new Map<number, never>(), []);
  const actions = useActionsIn(props.actions, isPublic ? null : key);
  const itemsOf = useItems(draft, me, actions, translator.itemOf);
  const people = usePeople(link.username, me);
  const highlights = useHighlights(link.connection, isPublic);
  const close = () => setPanel(null);
  return (
    <>
      <ShowChatHead shown={shown} isPerformer={me === link.username} name={props.name ?? link.username} />
      <ChatList
        key={key}
        room={link.username}
        isOfShow={!isPublic}
        me={me}
        empty={link.joined ? (isPublic ? empty : t('chat.show.empty')) : null}
        settings={settings}
        itemsOf={itemsOf}
        onPerson={onPerson}
        ignored={ignored}
        translations={isPublic ? translator.translations : none}
        lineActions={isPublic ? props.lineActions ?? none : none}
      />
      <Suspense>
        {panel === 'settings'
          ? (
            <SettingsPanel
              settings={settings}
              change={change}
              volume={volume}
              onVolume={setVolume}
              onClose={close}
            />
          )
          : null}
        {panel === 'emoji' && me !== null ? <EmojiPanel onChoose={draft.insert} onClose={close} /> : null}
        {highlights.shown ? <HighlightAlert message={highlights.shown} onSeen={highlights.seen} /> : null}
      </Suspense>
      {/* On a phone the bar of actions is between the list and this. */}
      <div className="shrink-0 border-t border-line max-lg:order-2">
        <ChatInput
          draft={draft}
          guest={me === null}
          joined={link.joined}
          barred={speech.barred}
          notes={<SpeechNotes speech={speech} failed={sending.failed} waiting={sending.waiting} />}
          people={people}
          placeholder={placeholder}
          panel={panel}
          onPanel={setPanel}
          onSend={sending.send}
          onLogin={onLogin}
        />
      </div>
    </>
  );
}

/** A reply quotes a message of the chat it is written in. */
function useOwnReplies({ replyTo, answer }: Draft, key: string): void {
  const before = useRef(key);
  useEffect(() => {
    if (before.current === key) return;
    before.current = key;
    if (replyTo) answer(null);
  }, [answer, key, replyTo]);
}

/** Messages of a show have ids of their own, so removing one must not remove a message of the room. */
function useActionsIn(
  actions: ChatColumnProps['actions'],
  show: string | null,
): ((message: ChatMessageView) => readonly MenuItem[]) | undefined {
  return useMemo(
    () =>
      actions && ((message) => actions(message, show).filter(({ key }) => show === null || key !== 'remove')),
    [actions, show],
  );
}

/** Inserts the mention of a person chosen elsewhere on the page. */
function useCalled({ insert }: Draft, call: { readonly username: string } | null): void {
  useEffect(() => {
    if (call) insert(`@${call.username} `);
  }, [call, insert]);
}

/** Actions on a message; null when no message has any, as for most guests. */
function useItems(
  draft: Draft,
  me: string | null,
  actions: ((message: ChatMessageView) => readonly MenuItem[]) | undefined,
  translate: ((message: ChatMessageView) => readonly MenuItem[]) | null,
): ((message: ChatMessageView) => readonly MenuItem[]) | null {
  const { t } = useTranslation('rooms');
  const { answer, insert } = draft;
  return useMemo(() => {
    if (me === null && !actions && !translate) return null;
    const icon = { size: 18, 'aria-hidden': true } as const;
    // Whoever tipped without a name can only be reported: the rest would need, or hint at, who it was.
    return (message) => (isAnonymous(message) ? actions?.(message) ?? [] : [
      ...(me === null ? [] : [
        {
          key: 'reply',
          text: t('chat.reply'),
          icon: <Reply {...icon} />,
          onChoose: () => answer(message),
        },
        {
          key: 'mention',
          text: t('chat.mention', { name: message.username }),
          icon: <AtSign {...icon} />,
          onChoose: () => insert(`@${message.username} `),
        },
      ]),
      ...(translate?.(message) ?? []).map((item) => ({ icon: <Languages {...icon} />, ...item })),
      ...(actions?.(message) ?? []),
    ]);
  }, [actions, answer, insert, me, t, translate]);
}

/**
 * Reads the usernames to offer for a mention: recent senders first, then the performer and others known to be
 * here.
 */
function usePeople(performer: string, me: string | null): () => readonly string[] {
  const live = useLiveStore();
  return useCallback(() => {
    const room = pageRooms(live).live.rooms[performer];
    const spoke = (room?.messages ?? []).toReversed().flatMap((
      { type, username, is_guest: isGuest },
    ) => (type === 'notice' || isGuest || username === '' ? [] : [username]));
    const users = Object.values(room?.users ?? {}).filter(({ is_guest: isGuest }) => !isGuest);
    const names = [...spoke, performer, ...users.map(({ username }) => username)];
    return [...new Set(names)].filter((name) => name !== me);
  }, [live, me, performer]);
}
