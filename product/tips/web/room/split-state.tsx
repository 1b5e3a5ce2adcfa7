import { Button } from '#platform/ui/controls/button.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { formatCount } from '#platform/ui/text/amounts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useSecondsUntil } from '#platform/ui/time/countdown.ts';
import { useMe } from '#product/accounts/web/me.ts';
import type { PagePartProps } from '#product/rooms/web/page-part.ts';
import { PersonButton } from '#product/rooms/web/person-card.tsx';
import { cancelSplit } from '../../client.ts';
import type { TipSplitView } from '../../contract/splits.ts';
import { sharesOf } from '../../rules/split.ts';
import { useTipRoom } from '../live.ts';
import type { TipTarget } from '../tip-panel.tsx';
import { JoinSplit } from './split-join.tsx';
import { useSplitting } from './splitting.ts';
import { useTipTarget } from './tip-here.tsx';

interface SplitProps {
  readonly split: TipSplitView;
  readonly target: TipTarget;
  readonly me: string | null;
  readonly canModerate: boolean;
}

/** In the bar of actions: an open split, and the result of one that has ended. */
export default function SplitState(props: PagePartProps) {
  const { t } = useTranslation('tips');
  const { room } = props;
  const target = useTipTarget(props);
  const me = useMe()?.user.username ?? null;
  const { data } = useTipRoom(room.user.username);
  const split = data?.split;
  if (!split || split.mode === 'available') return null;
  return (
    <section aria-label={t('split.title')} className="relative border-b border-line bg-surface px-4 py-2">
      {split.mode === 'proposed'
        ? <Open key={split.id} split={split} target={target} me={me} canModerate={room.auth.canModerate} />
        : null}
      {split.mode === 'success' ? <Ended text={t('split.success', { total: split.total })} /> : null}
      {split.mode === 'canceled' ? <Ended text={t(`split.reason.${split.reason ?? 'timeout'}`)} /> : null}
    </section>
  );
}

const Ended = ({ text }: { text: string }) => <p role="status" className="text-sm">{text}</p>;

/** An open split, for the people in it and those who may join. */
function Open({ split, target, me, canModerate }: SplitProps) {
  const { t, i18n } = useTranslation('tips');
  const { busy, problem, run } = useSplitting(target);
  const { username } = target;
  const isIn = me !== null && split.splitters.includes(me);
  const mayCancel = canModerate || (me !== null && me === split.proposer);
  const total = formatCount(split.total, i18n.language);
  const shares = sharesOf(split.total, split.target_splitters);
  // The first payer also pays the remainder.
  const isFirst = split.splitters[0] === me || (split.splitters.length === 0 && !isIn);
  const own = (isFirst ? shares?.first : shares?.share) ?? 0;
  return (
    <div className="flex flex-wrap items-center gap-x-6 gap-y-1">
      <p className="min-w-0 grow basis-48 font-medium">
        {split.proposer === null
          ? t('split.asked', { total })
          : (
            <PersonButton username={split.proposer}>
              {t('split.proposed', { name: split.proposer, total })}
            </PersonButton>
          )}
      </p>
      <p className="tabular flex justify-between gap-3 text-sm text-muted">
        <span>
          {t('split.people_in', { joined: split.splitters.length, people: split.target_splitters })}
        </span>
        <Countdown until={split.ends_at} />
      </p>
      <FormError problem={problem} />
      {isIn
        ? (
          <p role="status" className="text-sm">
            {t('split.joined', { count: own, share: formatCount(own, i18n.language) })}
          </p>
        )
        : null}
      <div className="flex flex-wrap gap-3">
        {isIn || me === username ? null : <JoinSplit split={split} price={own} target={target} />}
        {mayCancel
          ? (
            <Button busy={busy} onClick={() => void run(cancelSplit, { username })}>
              {t('split.cancel')}
            </Button>
          )
          : null}
      </div>
    </div>
  );
}

/** The remaining seconds; counted here, but the server ends the split. */
function Countdown({ until }: { until: string | null }) {
  const { t } = useTranslation('tips');
  const seconds = useSecondsUntil(until === null ? 0 : Date.parse(until));
  return until === null ? null : <span>{t('split.seconds', { count: seconds })}</span>;
}
