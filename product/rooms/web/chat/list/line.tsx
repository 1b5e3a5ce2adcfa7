import { TokenAmount } from '#platform/ui/text/amounts.tsx';
import { PersonName, StaffBadge } from '#platform/ui/text/person-name.tsx';
import { Typed } from '#platform/ui/text/typed.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { memo, type KeyboardEvent, type ReactNode } from 'react';
import type { ChatMessageView } from '../../../contract.ts';
import { isAnonymous } from '../../../rules.ts';
import { PersonButton } from '../../person-card.tsx';
import { callsOn, piecesOf } from '../input/mentions.ts';
import { senderName } from '../sender-name.ts';
import { Badge, badgesOf } from './badges.tsx';
import { isMessage, type ChatLineView, type ModerationLine } from './lines.ts';
import { lineLook, mentionLook, nameLook, quietLook } from './looks.ts';

/** Props shared by all lines of a chat; a new object renders them all again. */
export interface LineFrame {
  /** Username of this viewer, lower case; null for a guest. */
  readonly me: string | null;
  /** Formats the time of a message; null when times are hidden. */
  readonly timeOf: ((at: string) => string) | null;
  readonly isCompact: boolean;
  /** Opens the menu of a message; null without actions. */
  readonly onMenu: ((message: ChatMessageView, button: HTMLButtonElement) => void) | null;
  readonly onQuote: (id: number) => void;
  /** Opens the card of a sender; null where there are no cards. */
  readonly onPerson: ((message: ChatMessageView) => void) | null;
  /** Usernames of people whose messages are not quoted to this reader. */
  readonly ignored: ReadonlySet<string>;
}

interface LineProps {
  readonly line: ChatLineView;
  /** No other sender in the list has tipped more recently. */
  readonly isTop: boolean;
  /** The translation, or null. */
  readonly translation: string | null;
  /** Its actions; null for none. */
  readonly action: ReactNode;
  readonly frame: LineFrame;
}

/** One line of the chat. New messages of others don't render it again. */
export const ChatLine = memo(({ line, isTop, translation, action, frame }: LineProps) => {
  const room = frame.isCompact ? 'py-0' : 'mb-1 py-1';
  const look = isMessage(line)
    ? lineLook(line, line.username !== frame.me && callsOn(line, frame.me))
    : 'text-muted italic';
  const hasMenu = frame.onMenu !== null && isMessage(line) && line.type !== 'notice';
  return (
    <li
      data-message={line.id}
      className={`group/line relative rounded-control pl-2 break-words [contain:content] ${room}
        ${hasMenu ? 'pr-7 pointer-coarse:pr-11' : 'pr-2'} ${look}`}
    >
      {isMessage(line) ? <Said message={line} isTop={isTop} frame={frame} /> : <Moderation line={line} />}
      {translation === null
        ? null
        : (
          <span className={`block italic ${isMessage(line) ? quietLook(line) : ''}`}>
            <Typed>{translation}</Typed>
          </span>
        )}
      {action === null ? null : <span className="block py-1 not-italic empty:hidden">{action}</span>}
      {hasMenu ? <MenuButton message={line} onMenu={frame.onMenu} /> : null}
    </li>
  );
});

function MenuButton({ message, onMenu }: { message: ChatMessageView; onMenu: LineFrame['onMenu'] }) {
  const { t } = useTranslation('rooms');
  const name = senderName(message, t);
  const onKeyDown = (press: KeyboardEvent<HTMLButtonElement>) => {
    if (press.key !== 'Enter' && press.key !== ' ') return;
    // A key that clicks would look like a screen reader's click to the menu, which would then focus no item.
    press.preventDefault();
    onMenu?.(message, press.currentTarget);
  };
  return (
    <button
      type="button"
      data-line-menu
      tabIndex={-1}
      aria-haspopup="menu"
      aria-label={t('chat.actionsOf', { name })}
      onKeyDown={onKeyDown}
      onClick={(press) => onMenu?.(message, press.currentTarget)}
      className="absolute top-0 right-0 flex h-7 w-7 items-center justify-center rounded-control bg-raised
        font-bold text-muted opacity-0 -outline-offset-2 group-hover/line:opacity-100 hover:text-text
        focus-visible:opacity-100 pointer-coarse:bottom-0 pointer-coarse:h-auto pointer-coarse:w-11
        pointer-coarse:bg-transparent pointer-coarse:opacity-100"
    >
      <span aria-hidden>⋯</span>
    </button>
  );
}

/** A moderation, without the name for viewers who may not know it. */
function Moderation({ line: { restriction, action, name, username } }: { line: ModerationLine }) {
  const { t } = useTranslation('rooms');
  const who = name ?? t('chat.moderation.somebody');
  const text = t(`chat.moderation.${restriction}.${action}`, { name: who });
  if (username === null) return text;
  const known = name === null ? {} : { display_name: name };
  return <PersonButton username={username} known={known} isInLine>{text}</PersonButton>;
}

function Said({ message, isTop, frame }: {
  message: ChatMessageView;
  isTop: boolean;
  frame: LineFrame;
}) {
  const { t } = useTranslation('rooms');
  const time = frame.timeOf
    ? (
      <time
        dateTime={message.at}
        className={`tabular mr-[0.5em] text-[0.85em] font-normal not-italic ${quietLook(message)}`}
      >
        {frame.timeOf(message.at)}
      </time>
    )
    : null;
  if (message.type === 'notice') {
    return (
      <>
        {time}
        <Typed>{message.message}</Typed>
      </>
    );
  }
  const name = <Name message={message} isTop={isTop} onPerson={frame.onPerson} />;
  const isQuoted = !frame.ignored.has(message.subject_username ?? '');
  if (message.type !== 'tip') {
    return (
      <>
        {message.reply && isQuoted ? <Quote reply={message.reply} onQuote={frame.onQuote} /> : null}
        {time}
        {name}
        {': '}
        {/* Undefined means the usual colour. */}
        <span className="text-(--chat-text)">
          <Words message={message} me={frame.me} />
        </span>
      </>
    );
  }
  return (
    <>
      {time}
      {name} {t('tipped')} <TokenAmount tokens={message.value} className="font-bold" />
      {message.message
        ? (
          <span className="block">
            <Words message={message} me={frame.me} />
          </span>
        )
        : null}
    </>
  );
}

function Name({ message, isTop, onPerson }: {
  message: ChatMessageView;
  isTop: boolean;
  onPerson: LineFrame['onPerson'];
}) {
  const { t } = useTranslation('rooms');
  const name = <Typed>{senderName(message, t)}</Typed>;
  return (
    <>
      {badgesOf(message, isTop).map((kind) => (
        <Badge
          key={kind}
          kind={kind}
          name={t(`chat.badge.${kind}`)}
        />
      ))}
      {message.is_staff ? <StaffBadge /> : null}
      <strong className={`font-bold ${nameLook(message)}`}>
        {onPerson === null || isAnonymous(message) ? name : (
          // For keyboards, the menu of the line offers the same.
          <button
            type="button"
            tabIndex={-1}
            title={`@${message.username}`}
            onClick={() => onPerson(message)}
            className="text-left hover:underline"
          >
            {name}
          </button>
        )}
      </strong>
    </>
  );
}

/** The text of a message with highlighted mentions, the reader's own most strongly. */
function Words({ message, me }: { message: ChatMessageView; me: string | null }): ReactNode {
  const text = message.message;
  const pieces = piecesOf(text);
  if (pieces.every(({ username }) => username === null)) return <Typed>{text}</Typed>;
  return (
    <Typed>
      {pieces.map(({ text: piece, username }, at) => {
        if (username === null) return piece;
        const look = username === me ? 'rounded-control bg-blue px-1 text-ink' : mentionLook(message);
        return (
          // oxlint-disable-next-line react/no-array-index-key -- the pieces of a message never change
          <PersonButton key={at} username={username} isInLine>
            <span className={`font-medium ${look}`}>{piece}</span>
          </PersonButton>
        );
      })}
    </Typed>
  );
}

/** The message a reply quotes, in one line; a click scrolls there. */
function Quote({ reply, onQuote }: {
  reply: NonNullable<ChatMessageView['reply']>;
  onQuote: (id: number) => void;
}) {
  const { t } = useTranslation('rooms');
  return (
    <button
      type="button"
      tabIndex={-1}
      onClick={() => onQuote(reply.id)}
      title={t('chat.quoteOf', { name: reply.display_name })}
      className="block max-w-full truncate border-l-2 border-line pl-2 text-left text-[0.85em] text-muted
        hover:text-text"
    >
      <span className="sr-only">{t('chat.quoteOf', { name: reply.display_name })}</span>
      <span aria-hidden className="font-medium">
        <PersonName name={reply.display_name} isStaff={reply.is_staff} />
      </span>{' '}
      <Typed>{reply.excerpt}</Typed>
    </button>
  );
}
