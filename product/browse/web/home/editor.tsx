import { Button, IconButton } from '#platform/ui/controls/button.tsx';
import { Sortable } from '#platform/ui/controls/sortable.tsx';
import { Dialog } from '#platform/ui/surfaces/dialog.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { ArrowDown, ArrowUp, Plus, X } from 'lucide-react';
import { useId, useState, type ReactNode } from 'react';
import { HOME_SECTIONS, type HomeSectionId } from '../../rules/home.ts';
import { useFocusOnNext } from '../focus-on-next.ts';
import { useSaveHome } from './save-home.ts';

/** The list with one of its items at another index. */
function moved<T>(items: readonly T[], from: number, to: number): readonly T[] {
  const rest = items.filter((_one, at) => at !== from);
  return [...rest.slice(0, to), ...items.slice(from, from + 1), ...rest.slice(to)];
}

interface EditorProps {
  /** The saved sections. */
  readonly sections: readonly HomeSectionId[];
  readonly onClose: () => void;
}

/** Chooses the sections of a member's own home page, and their order. The choice stays when saving fails. */
export default function Editor({ sections, onClose }: EditorProps) {
  const { t } = useTranslation('browse');
  const save = useSaveHome();
  const [chosen, setChosen] = useState(sections);
  const [isBusy, setBusy] = useState(false);
  const submit = async () => {
    setBusy(true);
    try {
      await save({ sectionList: [...chosen] });
      onClose();
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog
      title={t('home.editor.title')}
      onClose={onClose}
      actions={
        <>
          <Button onClick={() => setChosen(HOME_SECTIONS)}>{t('home.editor.usual')}</Button>
          <Button
            tone="primary"
            busy={isBusy}
            onClick={() => void submit()}
          >
            {t('home.editor.save')}
          </Button>
        </>
      }
    >
      <p className="mb-4 text-sm text-muted">{t('home.editor.lead')}</p>
      <Chosen sections={chosen} onChange={setChosen} />
      <Others
        sections={HOME_SECTIONS.filter((id) => !chosen.includes(id))}
        onAdd={(id) => setChosen([...chosen, id])}
      />
    </Dialog>
  );
}

const Line = ({ children }: { readonly children: ReactNode }) => (
  <div className="flex items-center gap-1 rounded-control border border-line bg-surface">{children}</div>
);

/** The chosen sections: moved by their handles or buttons, or removed. */
function Chosen({ sections, onChange }: {
  readonly sections: readonly HomeSectionId[];
  readonly onChange: (sections: readonly HomeSectionId[]) => void;
}) {
  const { t } = useTranslation('browse');
  const nameOf = (id: HomeSectionId) => t(`home.section.${id}`);
  const { list, onLeave } = useFocusOnNext(sections);
  const move = (from: number, to: number) => onChange(moved(sections, from, to));
  if (sections.length === 0) return <p className="text-sm text-muted">{t('home.editor.none')}</p>;
  return (
    <div ref={list}>
      <Sortable
        label={t('home.editor.chosen')}
        items={sections}
        keyOf={(id) => id}
        nameOf={nameOf}
        onMove={move}
      >
        {(id, at, handle) => (
          <Line>
            {handle}
            <span className="min-w-0 grow text-sm">{nameOf(id)}</span>
            <IconButton
              label={t('home.editor.up', { section: nameOf(id) })}
              disabled={at === 0}
              onClick={() => move(at, at - 1)}
            >
              <ArrowUp size={18} aria-hidden />
            </IconButton>
            <IconButton
              label={t('home.editor.down', { section: nameOf(id) })}
              disabled={at === sections.length - 1}
              onClick={() => move(at, at + 1)}
            >
              <ArrowDown size={18} aria-hidden />
            </IconButton>
            <IconButton
              data-leaves
              label={t('home.editor.remove', { section: nameOf(id) })}
              onClick={() => {
                onLeave(at);
                onChange(sections.filter((section) => section !== id));
              }}
            >
              <X size={18} aria-hidden />
            </IconButton>
          </Line>
        )}
      </Sortable>
    </div>
  );
}

/** The sections that are not chosen. */
function Others({ sections, onAdd }: {
  readonly sections: readonly HomeSectionId[];
  readonly onAdd: (id: HomeSectionId) => void;
}) {
  const { t } = useTranslation('browse');
  const headingId = useId();
  const { list, onLeave } = useFocusOnNext(sections);
  return (
    <div ref={list} className="mt-6">
      <h3 id={headingId} className="mb-2 text-sm font-bold">{t('home.editor.others')}</h3>
      {sections.length === 0
        ? <p className="text-sm text-muted">{t('home.editor.all')}</p>
        : (
          <ul aria-labelledby={headingId} className="flex flex-col gap-2">
            {sections.map((id, at) => (
              <li key={id}>
                <Line>
                  <span className="min-w-0 grow pl-3 text-sm">{t(`home.section.${id}`)}</span>
                  <IconButton
                    data-leaves
                    label={t('home.editor.add', { section: t(`home.section.${id}`) })}
                    onClick={() => {
                      onLeave(at);
                      onAdd(id);
                    }}
                  >
                    <Plus size={18} aria-hidden />
                  </IconButton>
                </Line>
              </li>
            ))}
          </ul>
        )}
    </div>
  );
}
