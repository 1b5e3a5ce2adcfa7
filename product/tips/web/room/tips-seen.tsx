import { useEvent } from '#platform/ui/calls/live.ts';
import { TokenAmount, TokenGlyph } from '#platform/ui/text/amounts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useMe } from '#product/accounts/web/me.ts';
import { chatMessage, showMessage } from '#product/rooms/client.ts';
import type { ChatMessageView } from '#product/rooms/contract.ts';
import { isAnonymous } from '#product/rooms/rules.ts';
import { tierLevel } from '#product/rooms/rules/message-style.ts';
import { isIgnored } from '#product/rooms/web/chat/ignored.tsx';
import { wantsCalm } from '#product/rooms/web/chat/settings/settings.ts';
import type { PagePartProps } from '#product/rooms/web/page-part.ts';
import { useRef, useState, type CSSProperties } from 'react';

/** Most tips over the video at once; the oldest one makes room. */
const MAX_SEEN = 3;
/** Glyphs that fly off a tip, per tier above the smallest. */
const GLYPHS_A_TIER = 4;

interface Seen {
  readonly key: number;
  readonly name: string;
  readonly tokens: number;
}

/**
 * Shows a tip over the video for a moment, livelier for larger tips. The chat has its line and its sound, and
 * reads it to screen readers. Viewers who asked for calm or reduced motion see nothing here, and nobody sees
 * tips of people they ignore.
 */
export default function TipsSeen({ room, link, ignored }: Pick<PagePartProps, 'room' | 'link' | 'ignored'>) {
  const { connection } = link;
  const { t } = useTranslation('tips');
  const [seen, setSeen] = useState<readonly Seen[]>([]);
  const last = useRef(0);
  const me = useMe();
  const account = me?.settings ?? null;
  const reader = { ignored, room: room.user.username, me: me?.user.username ?? null };
  const show = (message: ChatMessageView): void => {
    const { type, value, display_name: name } = message;
    if (type !== 'tip' || wantsCalm(account) || isIgnored(message, reader)) return;
    if (matchMedia('(prefers-reduced-motion: reduce)').matches) return;
    last.current += 1;
    const one = {
      key: last.current,
      name: isAnonymous(message) ? t('anonymousName') : name,
      tokens: value,
    };
    setSeen((all) => [...all, one].slice(-MAX_SEEN));
  };
  useEvent(connection, chatMessage, show);
  useEvent(connection, showMessage, ({ message }) => show(message));
  return (
    <div
      aria-hidden
      className="pointer-events-none absolute inset-x-0 bottom-16 flex flex-col items-center
      gap-2 overflow-hidden phone-landscape:group-data-chat:right-2/5"
    >
      {seen.map(({ key, name, tokens }) => (
        <p
          key={key}
          data-tip-seen={tokens}
          onAnimationEnd={({ target, currentTarget }) => {
            if (target === currentTarget) {
              setSeen((all) => all.filter((item) => item.key !== key));
            }
          }}
          className={`rising relative flex max-w-[90%] items-center gap-2 rounded-full bg-black/75 px-4 py-2
            font-bold text-white ${tierLevel(tokens) > 1 ? 'text-lg' : 'text-sm'}`}
        >
          <bdi className="min-w-0 truncate">{name}</bdi>
          <TokenAmount tokens={tokens} />
          <Glyphs count={tierLevel(tokens) * GLYPHS_A_TIER} />
        </p>
      ))}
    </div>
  );
}

/** Glyphs that fly off a tip in all directions. */
function Glyphs({ count }: { count: number }) {
  return Array.from({ length: count }, (_, at) => {
    const angle = (at / count) * 2 * Math.PI;
    const way = {
      '--x': `${Math.round(Math.cos(angle) * 140)}px`,
      '--y': `${Math.round(Math.sin(angle) * 60) - 40}px`,
    } as CSSProperties;
    return (
      <span key={at} style={way} className="leaving absolute top-1/2 left-1/2">
        <TokenGlyph className="size-5" />
      </span>
    );
  });
}
