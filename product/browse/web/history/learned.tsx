import { useAction, useRead } from '#platform/ui/calls/calls.ts';
import { Button, IconButton } from '#platform/ui/controls/button.tsx';
import { Checkbox } from '#platform/ui/controls/fields.tsx';
import { ConfirmDialog } from '#platform/ui/surfaces/questions.tsx';
import { Loaded, Section } from '#platform/ui/surfaces/section.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { Typed } from '#platform/ui/text/typed.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { X } from 'lucide-react';
import { useId, useState } from 'react';
import { Link } from 'react-router';
import { clearForYouLearned, getForYouLearned, removeForYouLearned, saveForYou } from '../../client.ts';
import type { ForYouLearnedView } from '../../contract/history.ts';
import { useFocusOnNext } from '../focus-on-next.ts';
import { showForYou } from './live.ts';

/** What "for you" has learned from watching: view it, remove entries, clear it, turn it off. */
export function LearnedSection() {
  const { t } = useTranslation('browse');
  const read = useRead(getForYouLearned, {});
  return (
    <Section anchor="for-you" title={t('forYou.learned')} lead={t('forYou.lead')}>
      <Loaded read={read} height="h-40">{(learned) => <Learned learned={learned} />}</Loaded>
    </Section>
  );
}

function Learned({ learned }: { readonly learned: ForYouLearnedView }) {
  const { t } = useTranslation('browse');
  const { performerList: performers, tagList: tags } = learned;
  const [asking, setAsking] = useState(false);
  const isEmpty = performers.length === 0 && tags.length === 0;
  return (
    <div className="flex flex-col gap-4">
      <Switches learned={learned} />
      {isEmpty ? <p className="text-sm text-muted">{t('forYou.empty')}</p> : null}
      <div className="grid gap-x-8 gap-y-4 md:grid-cols-2">
        <Lines
          title={t('forYou.performers')}
          lines={performers.map(({ id, username, displayName, seconds }) => ({
            key: String(id),
            name: displayName,
            to: `/${username}`,
            seconds,
            input: { performer_id: id },
          }))}
        />
        <Lines
          title={t('forYou.tags')}
          lines={tags.map(({ tag, seconds }) => ({
            key: tag,
            name: `#${tag}`,
            to: null,
            seconds,
            input: { tag },
          }))}
        />
      </div>
      {isEmpty ? null : (
        <div>
          <Button onClick={() => setAsking(true)}>{t('forYou.clear')}</Button>
        </div>
      )}
      {asking ? <ClearDialog onClose={() => setAsking(false)} /> : null}
    </div>
  );
}

function Switches({ learned: { learns, is_shown: isShown } }: { readonly learned: ForYouLearnedView }) {
  const { t } = useTranslation('browse');
  const { run, busy, problem } = useAction(saveForYou, showForYou);
  const save = (choice: Parameters<typeof run>[0]) => {
    if (!busy) void run(choice);
  };
  return (
    <div className="flex flex-col">
      <Checkbox
        label={t('forYou.isShown')}
        checked={isShown}
        aria-busy={busy || undefined}
        onChange={({ target }) => save({ is_shown: target.checked })}
      />
      {isShown ? null : <Off text={t('forYou.isShownOff')} />}
      <Checkbox
        label={t('forYou.learns')}
        checked={learns}
        aria-busy={busy || undefined}
        onChange={({ target }) => save({ learns: target.checked })}
      />
      {learns ? null : <Off text={t('forYou.learnsOff')} />}
      <FormError problem={problem} />
    </div>
  );
}

const Off = ({ text }: { readonly text: string }) => <p className="pb-2 pl-8 text-sm text-muted">{text}</p>;

interface Line {
  readonly key: string;
  readonly name: string;
  /** The performer's room; null for a tag. */
  readonly to: string | null;
  readonly seconds: number;
  readonly input: { readonly performer_id: number } | { readonly tag: string };
}

/** Performers or tags with the time that still counts, most first; each can be removed. */
function Lines({ title, lines }: { readonly title: string; readonly lines: readonly Line[] }) {
  const { t, i18n } = useTranslation('browse');
  const headingId = useId();
  const toast = useToast();
  const { run, busy, problem } = useAction(removeForYouLearned, showForYou);
  const { list, onLeave } = useFocusOnNext(lines);
  const minutes = new Intl.NumberFormat(
    i18n.language,
    { style: 'unit', unit: 'minute', unitDisplay: 'short' },
  );
  const remove = async ({ name, input }: Line, at: number) => {
    if (busy) return;
    onLeave(at);
    if (await run(input)) toast(t('forYou.removed', { name }), 'success');
  };
  return (
    <div ref={list} tabIndex={-1} className="min-w-0">
      <FormError problem={problem} />
      {lines.length === 0 ? null : (
        <>
          <h3 id={headingId} className="mb-2 text-sm font-bold">{title}</h3>
          <ul aria-labelledby={headingId} className="max-h-96 overflow-y-auto">
            {lines.map((line, at) => (
              <li key={line.key} className="flex items-center gap-2 text-sm">
                <span className="min-w-0 grow truncate">
                  {line.to === null
                    ? line.name
                    : (
                      <Link to={line.to} className="text-link hover:underline">
                        <Typed>{line.name}</Typed>
                      </Link>
                    )}
                </span>
                <span className="tabular shrink-0 text-muted">
                  {line.seconds < 60
                    ? t('forYou.underMinute')
                    : minutes.format(Math.round(line.seconds / 60))}
                </span>
                <IconButton
                  data-leaves
                  label={t('forYou.remove', { name: line.name })}
                  onClick={() => void remove(line, at)}
                >
                  <X size={18} aria-hidden />
                </IconButton>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

function ClearDialog({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTranslation('browse');
  const toast = useToast();
  const clear = useAction(clearForYouLearned, showForYou);
  const run = async () => {
    if (!(await clear.run({}))) return;
    toast(t('forYou.cleared'), 'success');
    onClose();
  };
  return (
    <ConfirmDialog
      title={t('forYou.clearTitle')}
      accept={t('history.confirm')}
      reject={t('history.cancel')}
      tone="danger"
      busy={clear.busy}
      onAccept={() => void run()}
      onReject={onClose}
    >
      <p>{t('forYou.clearText')}</p>
      <FormError problem={clear.problem} />
    </ConfirmDialog>
  );
}
