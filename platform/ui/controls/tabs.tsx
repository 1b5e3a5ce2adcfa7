import { useId, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';

export interface Tab {
  readonly key: string;
  readonly text: ReactNode;
  readonly panel: ReactNode;
}

interface TabsProps {
  /** What the tabs are about, for screen readers. */
  readonly label: string;
  readonly tabs: readonly Tab[];
  /** Controlled use; without it the first tab is open and the component remembers. */
  readonly current?: string;
  readonly onChange?: (key: string) => void;
  /** Panels that hold a socket, a player or half-written text stay mounted while hidden. */
  readonly keepMounted?: boolean;
}

/** Tabs (ARIA APG, automatic activation): left and right move and open, Home and End jump. */
export function Tabs({ label, tabs, current, onChange, keepMounted }: TabsProps) {
  const id = useId();
  const [own, setOwn] = useState(tabs[0]?.key ?? '');
  const list = useRef<HTMLDivElement>(null);
  const open = current ?? own;
  const show = (key: string) => {
    setOwn(key);
    onChange?.(key);
  };
  const onKeyDown = (press: KeyboardEvent) => {
    const at = tabs.findIndex((tab) => tab.key === open);
    const steps: Record<string, number> = {
      ArrowRight: (at + 1) % tabs.length, ArrowLeft: (at - 1 + tabs.length) % tabs.length, Home: 0,
      End: tabs.length - 1,
    };
    const target = steps[press.key];
    const tab = target === undefined ? undefined : tabs[target];
    if (target === undefined || !tab) return;
    press.preventDefault();
    show(tab.key);
    list.current?.querySelectorAll<HTMLElement>('[role=tab]')[target]?.focus();
  };
  return (
    <div className="flex min-h-0 flex-col">
      <div ref={list} role="tablist" aria-label={label} onKeyDown={onKeyDown}
        className="flex shrink-0 gap-1 overflow-x-auto border-b border-line">
        {tabs.map((tab) => (
          <button
            key={tab.key} type="button" role="tab" id={`${id}-tab-${tab.key}`}
            aria-selected={tab.key === open}
            aria-controls={`${id}-panel-${tab.key}`} tabIndex={tab.key === open ? 0 : -1}
            onClick={(press) => {
              show(tab.key);
              // Where they do not all fit, one may have been pressed at its edge.
              press.currentTarget.scrollIntoView({ block: 'nearest', inline: 'nearest' });
            }}
            className="min-h-11 shrink-0 border-b-2 border-transparent px-4 text-sm font-medium text-muted
              -outline-offset-2 aria-selected:border-pink aria-selected:text-text hover:text-text"
          >
            {tab.text}
          </button>
        ))}
      </div>
      {tabs.map((tab) => (tab.key === open || keepMounted ? (
        <div key={tab.key} role="tabpanel" id={`${id}-panel-${tab.key}`}
          aria-labelledby={`${id}-tab-${tab.key}`}
          hidden={tab.key !== open} tabIndex={0} className="min-h-0 grow">
          {tab.panel}
        </div>
      ) : null))}
    </div>
  );
}
