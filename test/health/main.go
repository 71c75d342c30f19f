// Program health says how objects stand to the two Git controllers: by kstatus' own library, which Flux uses, and by health
// scripts for Argo CD, in the Lua interpreter that Argo CD uses and with the libraries that it opens.
//
// It reads {"scripts": {KIND: LUA}, "objects": [OBJECT]} from standard input, and writes one standing for each object.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	lua "github.com/yuin/gopher-lua"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/cli-utils/pkg/kstatus/status"
)

type question struct {
	Scripts map[string]string `json:"scripts"`
	Objects []json.RawMessage `json:"objects"`
}

type health struct {
	Status  string `json:"status"`
	Message string `json:"message"`
}

type standing struct {
	Kstatus health `json:"kstatus"`
	Argo    health `json:"argo"`
}

// Argo CD gives a script one second.
const scriptTimeout = time.Second

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	var asked question
	if err := json.NewDecoder(os.Stdin).Decode(&asked); err != nil {
		return err
	}
	standings := make([]standing, 0, len(asked.Objects))
	for _, text := range asked.Objects {
		object := &unstructured.Unstructured{}
		if err := object.UnmarshalJSON(text); err != nil {
			return err
		}
		result, err := status.Compute(object)
		if err != nil {
			return err
		}
		argo, err := argoHealth(asked.Scripts[object.GetKind()], object.Object)
		if err != nil {
			return fmt.Errorf("health script of %s: %w", object.GetKind(), err)
		}
		standings = append(standings, standing{health{string(result.Status), result.Message}, argo})
	}
	return json.NewEncoder(os.Stdout).Encode(standings)
}

func argoHealth(script string, object map[string]any) (health, error) {
	state := lua.NewState(lua.Options{SkipOpenLibs: true})
	defer state.Close()
	for _, library := range []struct {
		name string
		open lua.LGFunction
	}{{lua.LoadLibName, lua.OpenPackage}, {lua.BaseLibName, lua.OpenBase}, {lua.TabLibName, lua.OpenTable}, {lua.StringLibName, lua.OpenString}} {
		if err := state.CallByParam(lua.P{Fn: state.NewFunction(library.open), Protect: true}, lua.LString(library.name)); err != nil {
			return health{}, err
		}
	}
	limited, cancel := context.WithTimeout(context.Background(), scriptTimeout)
	defer cancel()
	state.SetContext(limited)
	state.SetGlobal("obj", luaValue(state, object))
	if err := state.DoString(script); err != nil {
		return health{}, err
	}
	answer, isTable := state.Get(-1).(*lua.LTable)
	if !isTable {
		return health{}, fmt.Errorf("it returned %s and no table", state.Get(-1).Type())
	}
	return health{lua.LVAsString(answer.RawGetString("status")), lua.LVAsString(answer.RawGetString("message"))}, nil
}

func luaValue(state *lua.LState, value any) lua.LValue {
	switch known := value.(type) {
	case bool:
		return lua.LBool(known)
	case int64:
		return lua.LNumber(known)
	case float64:
		return lua.LNumber(known)
	case string:
		return lua.LString(known)
	case []any:
		table := state.CreateTable(len(known), 0)
		for _, item := range known {
			table.Append(luaValue(state, item))
		}
		return table
	case map[string]any:
		table := state.CreateTable(0, len(known))
		for key, item := range known {
			table.RawSetString(key, luaValue(state, item))
		}
		return table
	default:
		return lua.LNil
	}
}
