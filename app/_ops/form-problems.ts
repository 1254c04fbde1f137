import { useFormatter, useLocale, useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { sentenceGap } from '../_i18n/language';
import { formatCount, formatMoney } from '../_i18n/numbers';
import { isCallError, type Problem, problemOf } from '../_trpc/problem';
import type { CallErrorData } from './types';

/** The maximum length of the reason for a change, as on the server. */
export const MAX_REASON_LENGTH = 200;

/** A problem with an input field. */
type FieldProblem = NonNullable<CallErrorData['problems']>[number];

/** The problem of a form, with its field problems if the input was rejected. */
export type FormProblem = Problem & { ofFields?: FieldProblem[] | undefined };

/** Converts an error to a problem with a stable identity. */
export function useProblem(error: unknown): FormProblem | undefined {
  return useMemo(() => (error ? { ...problemOf(error), ofFields: ofFields(error) } : undefined), [error]);
}

/** The server's error formatter defines the shape. */
function ofFields(error: unknown): FieldProblem[] | undefined {
  return isCallError(error) ? error.data?.problems : undefined;
}

/** The problems of an input as text: by field, and the rest for the whole form. */
interface FieldProblems<Field extends string> {
  fields: Partial<Record<Field, string>>;
  rest: string | undefined;
}

const DAY_MS = 86_400_000;

/**
 * Returns the problems of a rejected form in the page's language; `undefined` if the input was not the reason.
 * `names` are the procedures' field names: keep the list stable between renders. Needs the namespace `ops`.
 */
export function useFieldProblems<Field extends string>(
  problem: FormProblem | undefined,
  names: readonly Field[],
): FieldProblems<Field> | undefined {
  const t = useTranslations('ops.fieldProblem');
  const gap = sentenceGap(useLocale());
  const { number, dateTime } = useFormatter();

  return useMemo(() => {
    /** Formats a bound in the unit that its field's name ends in. */
    function formatBound(field: string, bound = 0): string {
      if (field.endsWith('Cents')) return formatMoney(bound);
      if (field.endsWith('At')) return dateTime(bound, { dateStyle: 'medium' });
      if (!field.endsWith('Ms')) return formatCount(bound);
      const isDays = bound % DAY_MS === 0;
      return isDays
        ? number(bound / DAY_MS, { style: 'unit', unit: 'day', unitDisplay: 'long' })
        : number(bound, { style: 'unit', unit: 'millisecond' });
    }
    const formatProblem = ({ field, code, least, most }: FieldProblem) =>
      // A node of another version may send unknown codes.
      t(t.has(code) ? code : 'invalid', {
        least: formatBound(field, least),
        most: formatBound(field, most),
      });
    const other = t('other');
    return problem?.kind === 'rejected'
      ? sortFieldProblems(problem, { names, formatProblem, other, gap })
      : undefined;
  }, [problem, names, t, gap, number, dateTime]);
}

/** Returns the problem without the parts that are shown next to a field. */
export function toFormProblem(
  problem: FormProblem | undefined,
  rest: string | undefined,
): Problem | undefined {
  if (problem?.kind !== 'rejected') return problem;
  return rest === undefined ? undefined : { ...problem, message: rest };
}

/**
 * Assigns the problems of a rejected input to the fields of a form, by the field names of the procedures. `other` is the
 * text of a rejection without field problems: the server's message is in English.
 */
export function sortFieldProblems<Field extends string>(
  { ofFields }: { ofFields?: FieldProblem[] | undefined },
  options: {
    names: readonly Field[];
    formatProblem: (problem: FieldProblem) => string;
    other: string;
    /** The text between two problems of one field. */
    gap: string;
  },
): FieldProblems<Field> {
  const { names, formatProblem, other, gap } = options;
  if (!ofFields) return { fields: {}, rest: other };
  const fields: Partial<Record<Field, string>> = {};
  const rest: string[] = [];
  for (const problem of ofFields) {
    const name = names.find((one) => problem.field === one || problem.field.startsWith(`${one}.`));
    if (name) fields[name] = [fields[name] ?? [], formatProblem(problem)].flat().join(gap);
    else rest.push(formatProblem(problem));
  }
  return { fields, rest: rest.length > 0 ? rest.join(gap) : undefined };
}
