/** Rules that a script needs for an agent whose character has features or canaries: nothing is found, and no probe is taken over. */
export const GATE_RULES = String.raw`  - name: no feature is found in any of several calls
    when: { role: gate-scorer, task: '(?m)^- call t[0-9]+, ' }
    answer:
      text:
        - "<forecasts>\n"
        - each: { of: task, pattern: '(?m)^- call (?P<call>t[0-9]+), (?P<feature>[a-z][a-z0-9_]*)$' }
          text: |2
              <forecast call="{{each.call}}" feature="{{each.feature}}" magnitude="0"><rationale>The script finds nothing.</rationale></forecast>
        - "</forecasts>"
  - name: no feature is found
    when: { role: gate-scorer }
    answer:
      text:
        - "<forecasts>\n"
        - each: { of: system, pattern: '(?m)^- (?P<feature>[a-z][a-z0-9_]*): ' }
          text: |2
              <forecast feature="{{each.feature}}" magnitude="0"><rationale>The script finds nothing.</rationale></forecast>
        - "</forecasts>"
  - name: what the text of a probe is about
    when: { role: [gate-probe-hijack, gate-probe-leakage] }
    answer: { text: The text is about work. }`;
