import type { InputOf, OutputOf } from '#platform/contract/call.ts';
import { useAction } from '#platform/ui/calls/calls.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { Checkbox, Select, TextArea } from '#platform/ui/controls/fields.tsx';
import { textOf, useFields } from '#platform/ui/forms/form.ts';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { CHAT_ALLOWED } from '#product/accounts/rules/settings.ts';
import { useMe } from '#product/accounts/web/me.ts';
import { setChatRules } from '../../client.ts';
import { CHAT_PRESETS, LINK_RULES, MAX_BLOCKED_WORD_LENGTH, MAX_BLOCKED_WORDS } from '../../rules.ts';
import { useReloadRules } from '../live.ts';
import { wordsOf } from '../words.ts';

type Rules = OutputOf<typeof setChatRules>;
type Change = Omit<InputOf<typeof setChatRules>, 'username'>;

/** Seconds offered for slow mode and for the join cool-down. */
const PAUSES: readonly number[] = [0, 5, 15, 30, 60, 300];

interface RulesFormProps {
  /** Username of the performer. */
  readonly room: string;
  readonly rules: Rules;
  /** True for the performer, admins and site moderators; room moderators change slow mode and links only. */
  readonly isAll: boolean;
}

/** Some texts address the performer as “you”; site moderators and admins read these instead. */
const OF_OTHERS = {
  tip_anytime: 'web.rules.allowedOther.tip_anytime',
  tip_recent: 'web.rules.allowedOther.tip_recent',
} as const;
const isOfOthers = (value: string): value is keyof typeof OF_OTHERS => value in OF_OTHERS;

/** The chat rules of a room; each is saved as it is changed. */
export function RulesForm({ room, rules, isAll }: RulesFormProps) {
  const { t } = useTranslation('room-moderation');
  const toast = useToast();
  const isOwn = useMe()?.user.username === room;
  const { run, problem, busy } = useAction(setChatRules);
  const changed = useReloadRules();
  const save = async (change: Change) => {
    if (await run({ username: room, ...change }) === null) return;
    await changed(room);
    toast(t('web.saved'), 'success');
  };
  return (
    <div className="flex flex-col gap-4 p-3">
      {isAll
        ? <Presets chosen={rules.preset} isOwn={isOwn} onChoose={(preset) => void save({ preset })} />
        : null}
      {isAll
        ? (
          <Select
            label={t('web.rules.chatAllowed')}
            value={rules.chat_allowed}
            options={CHAT_ALLOWED.map((value) => ({
              value,
              text: t(!isOwn && isOfOthers(value) ? OF_OTHERS[value] : `web.rules.allowed.${value}`),
            }))}
            onChange={({ target }) => void save({ chat_allowed: target.value as Rules['chat_allowed'] })}
          />
        )
        : null}
      <Pause
        label={t('web.rules.slowMode')}
        seconds={rules.slow_mode_seconds}
        onChoose={(seconds) => void save({ slow_mode_seconds: seconds })}
      />
      <Select
        label={t('web.rules.links')}
        value={rules.links}
        options={LINK_RULES.map((value) => ({ value, text: t(`web.rules.link.${value}`) }))}
        onChange={({ target }) => void save({ links: target.value as Rules['links'] })}
      />
      {isAll
        ? (
          <>
            <Pause
              label={t('web.rules.joinCoolDown')}
              seconds={rules.join_cool_down_seconds}
              onChoose={(seconds) => void save({ join_cool_down_seconds: seconds })}
            />
            <Checkbox
              label={t('web.rules.firstMessage')}
              checked={rules.first_message_hold}
              onChange={({ target }) => void save({ first_message_hold: target.checked })}
            />
            <Words
              words={rules.blocked_words}
              max={MAX_BLOCKED_WORDS}
              busy={busy}
              onSave={(blocked_words) => void save({ blocked_words })}
            />
          </>
        )
        : null}
      <FormError problem={problem} />
    </div>
  );
}

function Presets({ chosen, isOwn, onChoose }: {
  chosen: Rules['preset'];
  isOwn: boolean;
  onChoose: (preset: Rules['preset']) => void;
}) {
  const { t } = useTranslation('room-moderation');
  return (
    <div role="group" aria-label={t('web.rules.preset')} className="flex flex-col gap-2">
      <p className="text-sm font-medium">{t('web.rules.preset')}</p>
      {CHAT_PRESETS.map((preset) => (
        <button
          key={preset}
          type="button"
          aria-pressed={preset === chosen}
          onClick={() => onChoose(preset)}
          className="flex min-h-11 flex-col rounded-control border border-line bg-raised px-3 py-2 text-left
            text-sm transition-colors hover:border-field aria-pressed:border-pink"
        >
          <span className="font-bold">{t(`web.rules.presets.${preset}.name`)}</span>
          <span className="text-muted">
            {t(
              !isOwn && preset === 'fans_only'
                ? 'web.rules.presets.fans_only.textOther'
                : `web.rules.presets.${preset}.text`,
            )}
          </span>
        </button>
      ))}
    </div>
  );
}

function Pause({ label, seconds, onChoose }: {
  label: string;
  seconds: number;
  onChoose: (seconds: number) => void;
}) {
  const { t } = useTranslation('room-moderation');
  // Offers a value that was set elsewhere, too.
  const offered = [...new Set([...PAUSES, seconds])].toSorted((number, other) => number - other);
  return (
    <Select
      label={label}
      value={String(seconds)}
      onChange={({ target }) => onChoose(Number(target.value))}
      options={offered.map((value) => ({
        value: String(value),
        text: value === 0 ? t('web.rules.none') : t('web.rules.seconds', { count: value }),
      }))}
    />
  );
}

/** Blocked words, one per line, of a room or of all rooms. */
export function Words({ words, max, busy, onSave }: {
  words: readonly string[];
  /** The most words. */
  max: number;
  busy: boolean;
  onSave: (words: string[]) => void;
}) {
  const { t } = useTranslation('room-moderation');
  const form = useFields({
    read: (fields) => wordsOf(textOf(fields, 'words')),
    check: (
      typed,
    ): Readonly<
      Record<string, string>
    > => (typed.length > max || typed.some((word) => word.length > MAX_BLOCKED_WORD_LENGTH)
      ? { words: t('web.rules.wordsWrong', { max, letters: MAX_BLOCKED_WORD_LENGTH }) }
      : {}),
    onSubmit: onSave,
  });
  return (
    <form {...form.props} className="flex flex-col gap-3">
      <TextArea
        {...form.field('words')}
        label={t('web.rules.words')}
        hint={t('web.rules.wordsHint')}
        defaultValue={words.join('\n')}
        key={words.join('\n')}
        spellCheck={false}
        autoCapitalize="none"
      />
      <div>
        <Button type="submit" busy={busy}>{t('web.rules.saveWords')}</Button>
      </div>
    </form>
  );
}
