# Compiles through ccache where it works (it fails without a home folder that it may write to).
find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(probe ${PROJECT_BINARY_DIR}/CMakeFiles/ccache_probe)
  file(WRITE ${probe}.cpp "int probe;\n")
  execute_process(COMMAND ${CCACHE} ${CMAKE_CXX_COMPILER} -c ${probe}.cpp -o ${probe}.o
                  RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
  if(status EQUAL 0)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
  endif()
endif()
