import { useMemo, useRef, type Key, type ReactNode } from 'react';
import { mergeProps, useTab, useTabList, useTabPanel } from 'react-aria';
import { Item, useTabListState, type TabListState } from 'react-stately';

export interface Tab {
  readonly key: string;
  readonly text: ReactNode;
  readonly panel: ReactNode;
}

interface TabsProps {
  /** The label of the tabs, for screen readers. */
  readonly label: string;
  readonly tabs: readonly Tab[];
  /** Controlled use; without it the first tab is open and the component remembers. */
  readonly current?: string;
  readonly onChange?: (key: string) => void;
  /** Keeps panels mounted while hidden: those with a socket, a player or half-written text. */
  readonly keepMounted?: boolean;
}

/** Tabs (ARIA APG, automatic activation): arrows move and open, Home and End jump. */
export function Tabs({ label, tabs, current, onChange, keepMounted = false }: TabsProps) {
  const list = useRef<HTMLDivElement>(null);
  const names = useMemo(
    () => tabs.map(({ key, text }) => <Item key={key} textValue={key}>{text}</Item>),
    [tabs],
  );
  const state = useTabListState({
    children: names,
    // Selected in the first rendering: an effect would override a click that came before it.
    ...(current === undefined ? { defaultSelectedKey: tabs[0]?.key ?? '' } : { selectedKey: current }),
    onSelectionChange: (key) => onChange?.(String(key)),
  });
  const { tabListProps } = useTabList({ 'aria-label': label }, state, list);
  const shown = tabs.filter(({ key }) => keepMounted || key === state.selectedKey);
  return (
    <div className="flex min-h-0 flex-col">
      <div {...tabListProps} ref={list} className="flex shrink-0 gap-1 overflow-x-auto border-b border-line">
        {tabs.map(({ key, text }) => <TabButton key={key} id={key} text={text} state={state} />)}
      </div>
      {shown.map(({ key, panel }) => <TabPanel key={key} id={key} state={state}>{panel}</TabPanel>)}
    </div>
  );
}

interface PartProps {
  readonly id: Key;
  readonly state: TabListState<object>;
}

function TabButton({ id, text, state }: PartProps & { readonly text: ReactNode }) {
  const button = useRef<HTMLButtonElement>(null);
  const { tabProps } = useTab({ key: String(id) }, state, button);
  // When not all tabs fit, the clicked one may be only partly visible.
  const onClick = () => button.current?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  return (
    <button
      {...mergeProps(tabProps, { onClick })}
      ref={button}
      type="button"
      className="min-h-11 shrink-0 border-b-2 border-transparent px-4 text-sm font-medium text-muted
        -outline-offset-2 aria-selected:border-pink aria-selected:text-text hover:text-text"
    >
      {text}
    </button>
  );
}

function TabPanel({ id, state, children }: PartProps & { readonly children: ReactNode }) {
  const panel = useRef<HTMLDivElement>(null);
  const { tabPanelProps } = useTabPanel({ id: String(id) }, state, panel);
  return (
    <div {...tabPanelProps} ref={panel} hidden={id !== state.selectedKey} className="min-h-0 grow">
      {children}
    </div>
  );
}
