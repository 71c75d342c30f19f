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

{{- /* First part of the names of what lies in no namespace. A release for some namespaces is one of several in its cluster. */}}
{{- define "retainer.clusterName" -}}
{{- if .Values.watchNamespaces }}{{ .Release.Namespace }}-{{ end }}{{ .Release.Name }}
{{- end }}

{{- define "retainer.operatorAccount" -}}
system:serviceaccount:{{ .Release.Namespace }}:retainer-operator
{{- end }}

{{- /* Fails where two values do not fit together, which a schema cannot say. */}}
{{- define "retainer.checkValues" -}}
{{- $lease := .Values.operator.lease -}}
{{- if ge (int $lease.renewSeconds) (int $lease.durationSeconds) -}}
{{- fail (printf "operator.lease.renewSeconds is %d: it must be below operator.lease.durationSeconds, which is %d" (int $lease.renewSeconds) (int $lease.durationSeconds)) -}}
{{- end -}}
{{- if ge (int $lease.retrySeconds) (int $lease.renewSeconds) -}}
{{- fail (printf "operator.lease.retrySeconds is %d: it must be below operator.lease.renewSeconds, which is %d" (int $lease.retrySeconds) (int $lease.renewSeconds)) -}}
{{- end -}}
{{- $memory := toString .Values.operator.resources.limits.memory -}}
{{- if gt (addf .Values.operator.heapMebibytes 128) (include "retainer.mebibytes" $memory | float64) -}}
{{- fail (printf "operator.heapMebibytes is %d: it must be at least 128 below operator.resources.limits.memory, which is %s" (int .Values.operator.heapMebibytes) $memory) -}}
{{- end -}}
{{- end }}

{{- /* A quantity of memory as a number. Its units are those that values.schema.json takes. */}}
{{- define "retainer.mebibytes" -}}
{{- $decimal := dict "m" 0.001 "" 1.0 "k" 1e3 "M" 1e6 "G" 1e9 "T" 1e12 "P" 1e15 "E" 1e18 -}}
{{- $binary := dict "Ki" 0x1p10 "Mi" 0x1p20 "Gi" 0x1p30 "Ti" 0x1p40 "Pi" 0x1p50 "Ei" 0x1p60 -}}
{{- $unit := regexFind "[A-Za-z]*$" . -}}
{{- divf (mulf (trimSuffix $unit . | float64) (get (merge $decimal $binary) $unit)) 0x1p20 -}}
{{- end }}

{{- /* Namespace of the operator that a binding of this name is for; empty without one. Arguments: kind, namespace, name. */}}
{{- define "retainer.boundOperator" -}}
{{- $binding := lookup "rbac.authorization.k8s.io/v1" .kind .namespace .name -}}
{{- range (dig "subjects" list $binding) }}{{ .namespace }}{{ end -}}
{{- end }}

{{- /* Fails where another release has what this one would take. `helm template` sees no cluster, and passes. */}}
{{- define "retainer.checkNeighbours" -}}
{{- $own := .Release.Namespace -}}
{{- $wide := include "retainer.boundOperator" (dict "kind" "ClusterRoleBinding" "namespace" "" "name" "retainer-operator") -}}
{{- if and $wide (ne $wide $own) -}}
{{- fail (printf "the release in namespace %s tends the Agents of all namespaces: give it watchNamespaces first" $wide) -}}
{{- end -}}
{{- range $namespace := .Values.watchNamespaces -}}
{{- $other := include "retainer.boundOperator" (dict "kind" "RoleBinding" "namespace" $namespace "name" "retainer-operator-agents") -}}
{{- if and $other (ne $other $own) -}}
{{- fail (printf "the release in namespace %s tends the Agents of %s: take %s out of one of the two watchNamespaces" $other $namespace $namespace) -}}
{{- end -}}
{{- end -}}
{{- range $namespace := include "retainer.sandboxNamespaces" . | fromJsonArray -}}
{{- $other := include "retainer.boundOperator" (dict "kind" "RoleBinding" "namespace" $namespace "name" "retainer-operator") -}}
{{- if and $other (ne $other $own) -}}
{{- fail (printf "code of the release in namespace %s runs in %s: give this release a sandbox.namespace.name of its own (and sandbox.root.namespace)" $other $namespace) -}}
{{- end -}}
{{- end -}}
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
