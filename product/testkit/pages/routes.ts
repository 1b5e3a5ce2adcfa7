import { loadPart } from '#platform/ui/faults/part.ts';
import { BodyProviders } from '#product/screens/web/document/body.tsx';
import * as root from '#product/screens/web/root.tsx';
import routes from '#product/screens/web/routes.ts';
import type { RouteConfigEntry } from '@react-router/dev/routes';
import { posix } from 'node:path';
import type { ComponentType } from 'react';
import { createElement } from 'react';
import type { LoaderFunction, RouteObject } from 'react-router';
import { pageLoads } from './window/page-loads.ts';

const FOLDER = '/product/screens/web';

/** The exports of a route's file that pages of the product use. */
interface RouteModule {
  readonly default: ComponentType;
  readonly loader?: LoaderFunction;
  readonly clientLoader?: LoaderFunction;
  readonly shouldRevalidate?: () => boolean;
  readonly handle?: unknown;
  readonly ErrorBoundary?: ComponentType;
}

const modules = import.meta.glob<RouteModule>('/product/*/web/**/*.tsx');

/**
 * The product's routes for a router in a DOM. The first address uses the loader of a document, however long
 * its code takes to load; later navigations use the browser's loader.
 * @param isLoaded whether the first address has loaded
 */
export function pageRoutes(isLoaded: () => boolean): RouteObject[] {
  const loaderOf = (module: RouteModule): LoaderFunction => (args, handler) => {
    const loader = isLoaded() ? module.clientLoader ?? module.loader : module.loader;
    return loader ? loader(args, handler) : null;
  };
  const objectOf = ({ id, path, index, file, children }: RouteConfigEntry): RouteObject => {
    const load = modules[posix.join(FOLDER, file)];
    if (!load) throw new Error(`no file for the route ${path ?? 'index'}: ${file}`);
    const lazy = async () => {
      const module = await loadPart(id ?? file.replace(/\.tsx$/u, ''), () => pageLoads().of(file, load));
      const { default: Component, ErrorBoundary, handle, shouldRevalidate } = module;
      return { Component, ErrorBoundary, handle, shouldRevalidate, loader: loaderOf(module) };
    };
    return index
      ? { id, index, lazy }
      : { id, path, lazy, children: children?.map(objectOf) };
  };
  const within = (shown: ComponentType) => () => createElement(BodyProviders, null, createElement(shown));
  return [{
    id: 'root',
    path: '/',
    Component: within(root.default),
    ErrorBoundary: within(root.ErrorBoundary),
    HydrateFallback: () => null,
    loader: root.loader,
    shouldRevalidate: root.shouldRevalidate,
    children: routes.map(objectOf),
  }];
}
