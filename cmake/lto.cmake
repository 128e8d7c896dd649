# roofcast_link_time(TARGET ON|OFF): whether a program or module that links the libraries is optimised as a whole when
# CMAKE_INTERPROCEDURAL_OPTIMIZATION is on. Each such link compiles all of the models once more, so only what users run
# for its speed asks for it. With g++ the archives hold machine code as well ("fat"), for the links that don't and for
# programs of other compilers; the targets' own files (bindings, options, tests) gain nothing from it.
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  set(CMAKE_CXX_COMPILE_OPTIONS_IPO -flto=auto -ffat-lto-objects)
endif()

function(roofcast_link_time target on)
  if(CMAKE_INTERPROCEDURAL_OPTIMIZATION AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    set_target_properties(${target} PROPERTIES INTERPROCEDURAL_OPTIMIZATION OFF)
    target_link_options(${target} PRIVATE $<IF:$<BOOL:${on}>,-flto=auto,-fno-lto>)
  endif()
endfunction()
