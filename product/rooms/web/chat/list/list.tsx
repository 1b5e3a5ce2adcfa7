import type { MenuItem } from '#platform/ui/controls/popups/menu-popup.tsx';
import { Extra } from '#platform/ui/faults/crash-boundary.tsx';
import { useTheme } from '#platform/ui/surfaces/theme.ts';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import type { FontFamily, FontSize } from '#product/accounts/rules/settings.ts';
import { ArrowDown } from 'lucide-react';
import {
  lazy,
  Suspense,
  useCallback,
  useId,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  type RefObject,
} from 'react';
import type { ChatMessageView } from '../../../contract.ts';
import { useChat, useShowMessages } from '../../live.ts';
import { CollapsedLine, useCollapsed } from '../ignored.tsx';
import { senderName } from '../sender-name.ts';
import type { ChatSettings } from '../settings/settings.ts';
import { chatColor } from '../settings/text-color.ts';
import { useHeld, type Held } from '../use-held.ts';
import { topTipperOf } from './badges.tsx';
import { ChatLine, type LineFrame } from './line.tsx';
import { isMessage, type ChatLineView } from './lines.ts';

/** Shows nothing, and reads out nothing in the first seconds, so it is fetched after the chat. */
const Announcer = lazy(async () => ({ default: (await import('../announcer.tsx')).Announcer }));
/** Fetched when a message's menu is first opened. */
const MenuPopup = lazy(async () => ({
  default: (await import('#platform/ui/controls/popups/menu-popup.tsx')).MenuPopup,
}));

/** The sizes are only names: `9px` is drawn at 12 px, the smallest that one can read on a phone. */
const SIZES: Readonly<Record<FontSize, string>> = {
  '9px': 'text-[12px] leading-[17px]',
  '10px': 'text-[13px] leading-[18px]',
  '11px': 'text-[14px] leading-[20px]',
  '14px': 'text-[17px] leading-[24px]',
  '18px': 'text-[20px] leading-[28px]',
};

const FONTS: Readonly<Record<FontFamily, string>> = {
  sans: 'font-sans',
  serif: 'font-serif',
  mono: 'font-mono',
  wide: 'font-sans tracking-[0.06em] [word-spacing:0.2em]',
};

interface ChatListProps {
  /** Username of the performer. */
  readonly room: string;
  /** The chat is that of the running show, not the room's. */
  readonly isOfShow: boolean;
  /** Text of an empty chat; null while the messages are unknown. */
  readonly empty: string | null;
  readonly me: string | null;
  readonly settings: ChatSettings;
  readonly translations: ReadonlyMap<number, string>;
  /** Shown under lines, by message id. */
  readonly lineActions: ReadonlyMap<number, ReactNode>;
  /** Actions on a message; null when no message has any. */
  readonly itemsOf: ((message: ChatMessageView) => readonly MenuItem[]) | null;
  /** Opens the card of a sender; null where there are no cards. */
  readonly onPerson: LineFrame['onPerson'];
  /** Usernames of people whom this reader ignores. */
  readonly ignored: ReadonlySet<string>;
}

/** The chat: follows the newest message at the bottom unless scrolled up or pointed at. */
export function ChatList(props: ChatListProps) {
  const {
    room,
    isOfShow,
    empty,
    me,
    settings,
    translations,
    lineActions,
    itemsOf,
    onPerson,
    ignored,
  } = props;
  const { t } = useTranslation('rooms');
  const list = useRef<HTMLOListElement>(null);
  const [inRoom, inShow] = [useChat(room), useShowMessages(room)];
  const lines: readonly ChatLineView[] = isOfShow ? inShow : inRoom;
  const wanted = useMemo(() => chosen(lines, settings), [lines, settings]);
  const held = useHeld(list, wanted, me, settings);
  const menu = useLineMenu(held);
  const tap = useTap(menu.of !== null);
  const frame = useFrame(me, settings, { onMenu: itemsOf ? menu.open : null, onPerson, ignored });
  const { rows, show } = useCollapsed(held.shown, { ignored, room, me });
  const topTipper = useMemo(() => topTipperOf(lines), [lines]);
  const hintId = useId();
  useTextColor(list, settings.textColor);
  return (
    <div className="relative min-h-0 grow basis-0">
      <ol
        ref={list}
        tabIndex={0}
        aria-label={t('chat.title')}
        aria-describedby={itemsOf ? hintId : undefined}
        onScroll={held.onScroll}
        onPointerEnter={({ pointerType, currentTarget: { scrollHeight, clientHeight } }) =>
          held.hold('pointed', pointerType === 'mouse' && scrollHeight > clientHeight)}
        onPointerLeave={() => held.hold('pointed', false)}
        onFocus={({ target }) => held.hold('focused', target !== list.current)}
        onBlur={() => held.hold('focused', false)}
        onKeyDown={(press) => walk(press, list.current)}
        {...tap}
        className={`h-full overflow-y-auto overscroll-contain bg-surface px-2 py-2
          phone-landscape:bg-transparent
          -outline-offset-2 [align-content:safe_end] [contain:strict]
          ${held.isHeld ? '' : '[overflow-anchor:none]'} ${SIZES[settings.size]}
          ${FONTS[settings.font]}`}
      >
        {empty !== null && held.shown.length === 0
          ? <li className="px-4 pb-4 text-center text-muted">{empty}</li>
          : null}
        {rows.map((row) => (row.type === 'collapsed'
          ? (
            <CollapsedLine
              key={row.id}
              row={row}
              onShow={() => {
                show(row.ids);
                list.current?.focus();
              }}
            />
          )
          : (
            <ChatLine
              key={row.id}
              line={row}
              frame={frame}
              translation={translations.get(row.id) ?? null}
              action={lineActions.get(row.id) ?? null}
              isTop={topTipper !== null && isMessage(row) && row.username === topTipper}
            />
          ))
        )}
      </ol>
      {itemsOf ? <p id={hintId} className="sr-only">{t('chat.keys')}</p> : null}
      <Unread held={held} />
      {menu.of && itemsOf
        ? (
          <Suspense>
            <MenuPopup
              button={menu.button}
              items={itemsOf(menu.of)}
              onClose={menu.close}
              label={t('chat.actionsOf', { name: senderName(menu.of, t) })}
              placement="bottom end"
            />
          </Suspense>
        )
        : null}
      <Extra>
        <Announcer lines={lines} reader={{ ignored, room, me }} />
      </Extra>
    </div>
  );
}

/** Applies the chosen text colour by script, because the content policy allows no inline styles. */
function useTextColor(list: RefObject<HTMLElement | null>, chosen: string): void {
  const [theme] = useTheme();
  useLayoutEffect(() => {
    const color = chatColor(chosen, theme);
    if (color === null) list.current?.style.removeProperty('--chat-text');
    else list.current?.style.setProperty('--chat-text', color);
  }, [chosen, list, theme]);
}

/** Lines that the settings allow. */
function chosen(lines: readonly ChatLineView[], settings: ChatSettings): readonly ChatLineView[] {
  if (settings.hasNotices && settings.hasTips) return lines;
  return lines.filter(({ type }) =>
    (type !== 'notice' || settings.hasNotices) && (type !== 'tip' || settings.hasTips)
  );
}

function useFrame(
  me: string | null,
  { hasTimes, isCompact }: ChatSettings,
  { onMenu, onPerson, ignored }: Pick<LineFrame, 'onMenu' | 'onPerson' | 'ignored'>,
): LineFrame {
  const { i18n } = useTranslation('rooms');
  return useMemo(() => {
    const clock = new Intl.DateTimeFormat(i18n.language, { hour: '2-digit', minute: '2-digit' });
    return {
      me,
      isCompact,
      onMenu,
      timeOf: hasTimes ? (at) => clock.format(new Date(at)) : null,
      onQuote: goTo,
      onPerson,
      ignored,
    };
  }, [i18n.language, me, isCompact, onMenu, onPerson, ignored, hasTimes]);
}

/**
 * On touch screens a tap anywhere on a line opens its menu, because the menu button is only as high as the
 * line. A tap that closes the keyboard or a menu, or ends a selection, does nothing else.
 */
function useTap(isMenuOpen: boolean) {
  const wasBusy = useRef(false);
  const onPointerDown = () => {
    wasBusy.current = isMenuOpen || (document.activeElement?.matches('input, textarea') ?? false);
  };
  const onClick = ({ target, nativeEvent }: MouseEvent) => {
    if (!('pointerType' in nativeEvent) || nativeEvent.pointerType !== 'touch' || wasBusy.current) return;
    if (!(target instanceof Element) || target.closest('a, button')) return;
    if (!(getSelection()?.isCollapsed ?? true)) return;
    target.closest('[data-message]')?.querySelector<HTMLElement>('[data-line-menu]')?.click();
  };
  return { onPointerDown, onClick };
}

/** How long a message is highlighted after scrolling to it. */
const FOUND_MS = 1_500;
const FOUND = ['ring-2', 'ring-inset', 'ring-blue'] as const;

/** Scrolls to a message and highlights it for a moment, if it is still in the list. */
function goTo(id: number): void {
  const line = document.querySelector<HTMLElement>(`[data-message="${id}"]`);
  if (!line) return;
  line.scrollIntoView({ block: 'center' });
  line.classList.add(...FOUND);
  setTimeout(() => line.classList.remove(...FOUND), FOUND_MS);
}

/** Arrow keys, Home and End move between messages, as in a menu; the list is one tab stop. */
function walk(press: KeyboardEvent<HTMLOListElement>, list: HTMLOListElement | null): void {
  const buttons = [...(list?.querySelectorAll<HTMLElement>('[data-line-menu]') ?? [])];
  const at = buttons.indexOf(document.activeElement as HTMLElement);
  const targets: Readonly<Record<string, number>> = {
    ArrowUp: at === -1 ? buttons.length - 1 : Math.max(0, at - 1),
    ArrowDown: at === -1 ? -1 : Math.min(buttons.length - 1, at + 1),
    Home: 0,
    End: buttons.length - 1,
  };
  const target = buttons[targets[press.key] ?? -1];
  if (press.key === 'Escape' && at !== -1) list?.focus();
  if (!target) return;
  press.preventDefault();
  target.focus();
  target.scrollIntoView({ block: 'nearest' });
}

/** The number of new messages in a held list; a click scrolls there. */
function Unread({ held: { unread, toEnd } }: { held: Held }) {
  const { t } = useTranslation('rooms');
  if (unread === 0) return null;
  return (
    <button
      type="button"
      onClick={toEnd}
      className="absolute inset-x-0 bottom-2 mx-auto flex min-h-11 w-fit items-center gap-2 rounded-full
        border border-line bg-raised px-4 text-sm font-medium shadow-float"
    >
      <ArrowDown size={16} aria-hidden />
      {t('unread', { count: unread })}
    </button>
  );
}

/** The menu of the list, beside its message. */
function useLineMenu({ hold }: Held) {
  const [of, setOf] = useState<ChatMessageView | null>(null);
  const button = useRef<HTMLButtonElement>(null);
  const open = useCallback((message: ChatMessageView, opener: HTMLButtonElement) => {
    button.current = opener;
    hold('menu', true);
    setOf(message);
  }, [hold]);
  const close = useCallback(() => {
    hold('menu', false);
    setOf(null);
  }, [hold]);
  return { of, button, open, close };
}
