{{- /* Labels of every object of the chart. Arguments: root, component. */}}
{{- define "retainer.labels" -}}
app.kubernetes.io/name: {{ .component }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
app.kubernetes.io/part-of: retainer
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ .root.Chart.Name }}-{{ .root.Chart.Version }}
{{- end }}

{{- /* What selects the pods of one component; never changes. */}}
{{- define "retainer.selector" -}}
app.kubernetes.io/name: {{ .component }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
retainer.dev/network-role: {{ .component }}
{{- end }}

{{- /* Address of an image. Arguments: root, name. */}}
{{- define "retainer.image" -}}
{{- $image := index .root.Values.image .name -}}
{{- $tag := $image.tag | default .root.Chart.AppVersion -}}
{{- if $image.digest -}}
{{ .root.Values.image.registry }}/{{ $image.repository }}@{{ $image.digest }}
{{- else -}}
{{ .root.Values.image.registry }}/{{ $image.repository }}:{{ $tag }}
{{- end -}}
{{- end }}

{{- define "retainer.operatorAccount" -}}
system:serviceaccount:{{ .Release.Namespace }}:retainer-operator
{{- end }}

{{- /* Namespaces in which code runs, as a JSON list. */}}
{{- define "retainer.sandboxNamespaces" -}}
{{- $names := list .Values.sandbox.namespace.name -}}
{{- if .Values.sandbox.root.enabled }}{{ $names = append $names .Values.sandbox.root.namespace }}{{ end -}}
{{ $names | toJson }}
{{- end }}

{{- /* Security of every container of the chart. */}}
{{- define "retainer.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
runAsNonRoot: true
capabilities:
  drop: [ALL]
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- /* Security and placement of every pod of the chart. Arguments: root, component, settings. */}}
{{- define "retainer.podPlacement" -}}
securityContext:
  runAsNonRoot: true
  runAsUser: 10010
  runAsGroup: 10010
  fsGroup: 10010
  seccompProfile:
    type: RuntimeDefault
automountServiceAccountToken: false
enableServiceLinks: false
{{- if .root.Values.userNamespaces }}
hostUsers: false
{{- end }}
{{- with .root.Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- with .settings.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .settings.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .settings.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
affinity:
  podAntiAffinity:
    preferredDuringSchedulingIgnoredDuringExecution:
      - weight: 100
        podAffinityTerm:
          topologyKey: kubernetes.io/hostname
          labelSelector:
            matchLabels: {{- include "retainer.selector" . | nindent 14 }}
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: topology.kubernetes.io/zone
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels: {{- include "retainer.selector" . | nindent 8 }}
{{- end }}

{{- /* `KEY=VALUE,KEY=VALUE` of the pods that answer DNS. */}}
{{- define "retainer.dnsLabels" -}}
{{- $pairs := list -}}
{{- range $key, $value := .Values.network.dns.podLabels }}{{ $pairs = append $pairs (printf "%s=%s" $key $value) }}{{ end -}}
{{ join "," $pairs }}
{{- end }}

{{- /* Flows that every component shares, as NetworkPolicy egress rules. */}}
{{- define "retainer.dnsEgress" -}}
- to:
    - namespaceSelector:
        matchLabels: { kubernetes.io/metadata.name: {{ .Values.network.dns.namespace }} }
      podSelector:
        matchLabels: {{- toYaml .Values.network.dns.podLabels | nindent 10 }}
  ports:
    - { protocol: UDP, port: 53 }
    - { protocol: TCP, port: 53 }
{{- end }}

{{- /* A peer: any pod of the namespaces in which code runs. */}}
{{- define "retainer.sandboxPeer" -}}
namespaceSelector:
  matchExpressions:
    - { key: kubernetes.io/metadata.name, operator: In, values: {{ include "retainer.sandboxNamespaces" . }} }
podSelector:
  matchLabels: { retainer.dev/network-role: sandbox }
{{- end }}
