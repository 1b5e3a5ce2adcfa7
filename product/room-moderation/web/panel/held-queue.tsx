import type { OutputOf } from '#platform/contract/call.ts';
import { problemOf, useAction, useRead } from '#platform/ui/calls/calls.ts';
import { IconButton } from '#platform/ui/controls/button.tsx';
import { Pill } from '#platform/ui/surfaces/card.tsx';
import { EmptyState, ErrorState, FormError, Skeleton } from '#platform/ui/surfaces/states.tsx';
import { RelativeTime } from '#platform/ui/text/amounts.tsx';
import { PersonName } from '#platform/ui/text/person-name.tsx';
import { Typed } from '#platform/ui/text/typed.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { PersonButton } from '#product/rooms/web/person-card.tsx';
import { Check, MicOff, X } from 'lucide-react';
import { decideHeld, getHeld } from '../../client.ts';
import type { HeldDecision } from '../../rules.ts';
import type { Moderating } from '../actions/moderating.tsx';
import { useShadowed } from '../live.ts';

type Held = OutputOf<typeof getHeld>['held'][number];

interface HeldQueueProps {
  /** Username of the performer. */
  readonly room: string;
  readonly moderating: Moderating;
}

/** The moderation queue, oldest first; below it the shadowed messages. */
export function HeldQueue({ room, moderating }: HeldQueueProps) {
  const { t } = useTranslation('room-moderation');
  const { data, error, refetch } = useRead(getHeld, { username: room });
  const decision = useAction(decideHeld);
  if (error && !data) return <ErrorState problem={problemOf(error)} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton className="m-3 h-32" />;
  const decide = async (id: number, chosen: HeldDecision) => {
    // An event removes the decided message; after a refusal the queue is out of date.
    if (await decision.run({ username: room, id, decision: chosen }) === null) await refetch();
  };
  return (
    <div className="flex flex-col">
      <FormError problem={decision.problem} />
      {data.held.length === 0 ? <EmptyState text={t('web.held.empty')} /> : null}
      <ol aria-label={t('web.tabs.held')} className="flex flex-col">
        {data.held.map((message) => (
          <HeldLine
            key={message.id}
            message={message}
            onDecide={(chosen) => void decide(message.id, chosen)}
          />
        ))}
      </ol>
      <Shadowed room={room} moderating={moderating} />
    </div>
  );
}

/** Messages that only their senders see: a moderator can silence the senders from here. */
function Shadowed({ room, moderating }: HeldQueueProps) {
  const { t } = useTranslation('room-moderation');
  const messages = useShadowed(room);
  if (messages.length === 0) return null;
  return (
    <section aria-labelledby="shadowed">
      <h3 id="shadowed" className="px-3 pt-4 pb-1 text-sm font-bold">{t('web.shadowed')}</h3>
      <ol className="flex flex-col">
        {messages.map((message) => {
          const { username, display_name: displayName } = message;
          const subject = {
            username,
            displayName,
            isGuest: message.is_guest,
            isModerator: message.is_moderator,
          };
          const mayBeSilenced = moderating.offersFor(subject).includes('silence');
          return (
            <li
              key={`${message.id} ${username} ${message.at}`}
              className="flex items-center gap-2 border-b border-line px-3 py-1 text-sm"
            >
              <p className="min-w-0 grow break-words">
                <strong className="font-bold">
                  <PersonButton username={username} known={message}>
                    <PersonName name={displayName} isStaff={message.is_staff} />
                  </PersonButton>
                </strong>
                {': '}
                <Typed>{message.message}</Typed>
              </p>
              {mayBeSilenced
                ? (
                  <IconButton
                    label={t('web.ask.silence.title', { name: displayName })}
                    onClick={() => moderating.act(subject, 'silence')}
                  >
                    <MicOff size={20} aria-hidden />
                  </IconButton>
                )
                : null}
            </li>
          );
        })}
      </ol>
    </section>
  );
}

function HeldLine({ message, onDecide }: {
  message: Held;
  onDecide: (decision: HeldDecision) => void;
}) {
  const { t } = useTranslation('room-moderation');
  const name = message.display_name;
  return (
    <li className="flex flex-col gap-1 border-b border-line px-3 py-2">
      <p className="flex flex-wrap items-center gap-2 text-sm">
        <strong className="font-bold">
          <PersonButton username={message.username} known={message}>
            <PersonName name={name} isStaff={message.is_staff} />
          </PersonButton>
        </strong>
        {message.username === name ? null : <span className="text-xs text-muted">@{message.username}</span>}
        <Pill tone="warning">{t(`web.held.why.${message.why}`)}</Pill>
        <span className="text-xs text-muted">
          <RelativeTime at={message.at} />
        </span>
      </p>
      <p className="text-sm break-words">
        <Typed>{message.message}</Typed>
      </p>
      <div className="flex justify-end gap-1">
        <IconButton label={t('web.held.show', { name })} onClick={() => onDecide('show')}>
          <Check size={20} aria-hidden />
        </IconButton>
        <IconButton label={t('web.held.drop', { name })} onClick={() => onDecide('drop')}>
          <X size={20} aria-hidden />
        </IconButton>
        <IconButton label={t('web.held.silence', { name })} onClick={() => onDecide('silence')}>
          <MicOff size={20} aria-hidden />
        </IconButton>
      </div>
    </li>
  );
}
