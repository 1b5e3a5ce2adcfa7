import { keyOf } from '#platform/text/message-keys.ts';
import { Pill } from '#platform/ui/surfaces/card.tsx';
import { Typed } from '#platform/ui/text/typed.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import type { PolicyView } from '../../contract/policies.ts';
import { useAskedLines, type Asked } from './words.ts';

const TONES = { declare: 'online', verify: 'warning', blocked: 'danger' } as const;

export function RuleTag({ rule }: { rule: PolicyView['rule'] }) {
  const { t } = useTranslation('compliance');
  return <Pill tone={TONES[rule]}>{t(keyOf('compliance', 'regions.rules', rule))}</Pill>;
}

/** A day without a time, in the page's language. */
export function Day({ day }: { day: string }) {
  const { i18n } = useTranslation('compliance');
  const format = new Intl.DateTimeFormat(i18n.language, { dateStyle: 'medium', timeZone: 'UTC' });
  return (
    <time dateTime={day} className="whitespace-nowrap">{format.format(new Date(`${day}T00:00:00Z`))}</time>
  );
}

/** What a policy asks for, part by part. */
export function AskedList({ asked }: { asked: Asked }) {
  const linesOf = useAskedLines();
  return (
    <dl className="grid grid-cols-[minmax(6rem,auto)_1fr] gap-x-4 gap-y-1 text-sm">
      {linesOf(asked).map(({ key, label, text }) => (
        <div key={key} className="contents">
          <dt className="text-muted">{label}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}

/** What changes from one policy to another. */
export function Changes({ before, after }: { before: Asked; after: Asked }) {
  const { t } = useTranslation('compliance');
  const linesOf = useAskedLines();
  const [old, now] = [linesOf(before), linesOf(after)];
  const keys = [...new Set([...old, ...now].map(({ key }) => key))];
  const changed = keys.flatMap((key) => {
    const [was, is] = [old.find((line) => line.key === key), now.find((line) => line.key === key)];
    return was?.text === is?.text ? [] : [{
      key,
      label: (is ?? was)?.label ?? key,
      was: was?.text ?? t('regions.nothing'),
      is: is?.text ?? t('regions.nothing'),
    }];
  });
  if (changed.length === 0) return <p className="text-sm text-muted">{t('regions.unchanged')}</p>;
  return (
    <ul aria-label={t('regions.changes')} className="flex flex-col gap-1 text-sm">
      {changed.map(({ key, label, was, is }) => (
        <li key={key}>
          <span className="text-muted">{label}:</span> <del className="text-muted">{was}</del>
          {' → '}
          <ins className="font-medium no-underline">{is}</ins>
        </li>
      ))}
    </ul>
  );
}

/** Where a policy comes from, and who answers for it. */
export function Origin({ policy }: { policy: PolicyView }) {
  const { t } = useTranslation('compliance');
  const { source, note, state, decided_by: by, proposed_by: proposer } = policy;
  return (
    <div className="flex flex-col gap-1 text-sm wrap-anywhere">
      <p>
        <Typed>{source}</Typed>
      </p>
      {note === '' ? null : (
        <p className="text-muted">
          <Typed>{note}</Typed>
        </p>
      )}
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-muted">
        <span>
          {state === 'seed'
            ? t('regions.seed')
            : by === null
            ? t('regions.proposedBy', { name: proposer ?? t('regions.gone') })
            : t('regions.decidedBy', { name: proposer ?? t('regions.gone'), by })}
        </span>
        {policy.is_confirmed
          ? <span>{t('regions.confirmed')}</span>
          : <span className="font-medium text-warning-text">{t('regions.unconfirmed')}</span>}
      </p>
    </div>
  );
}
